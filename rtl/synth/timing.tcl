# SPDX-License-Identifier: Apache-2.0
# Timing of the netlist in OpenSTA, and synth.json of everything. scripts/rtl-synth sets block, parameters, lib,
# library_file, out and ram_ns (size ns …) and evaluates liberty.tcl and the library.tcl that library.tcl wrote before this
# file; synth.tcl left bits.v and netlist.tcl in `out`.
source $out/netlist.tcl

# A RAM as a Liberty cell: a read takes `access` ns from its address or from the clock, a write needs no set-up time, and
# a pin loads like an inverter.
proc ram_cell {width depth access} {
  set load [expr {$liberty::load / 4}]
  set address [expr {$depth > 1 ? int(ceil(log($depth) / log(2))) : 1}]
  set scalar {{name value} { return "$name (scalar) { values (\"$value\"); } " }}
  set delay ""
  foreach {name value} [list cell_rise $access cell_fall $access rise_transition 0 fall_transition 0] {
    append delay [apply $scalar $name $value]
  }
  set setup "timing () { related_pin : \"clk_i\"; timing_type : setup_rising;\
    [apply $scalar rise_constraint 0] [apply $scalar fall_constraint 0] }"
  set type {{bits} { return "bus_type : bits$bits;" }}
  set related ""
  for {set i 0} {$i < $address} {incr i} { append related "read_addr_i\[$i\] " }
  return "type (bits$width) { base_type : array; data_type : bit; bit_width : $width; bit_from : [expr {$width - 1}]; bit_to : 0; }
    type (bits$address) { base_type : array; data_type : bit; bit_width : $address; bit_from : [expr {$address - 1}]; bit_to : 0; }
    cell (ram_${width}x$depth) {
      area : 0;
      pin (clk_i) { direction : input; clock : true; capacitance : $load; }
      pin (write_en_i) { direction : input; capacitance : $load; $setup }
      bus (write_addr_i) { [apply $type $address] direction : input; capacitance : $load; $setup }
      bus (write_data_i) { [apply $type $width] direction : input; capacitance : $load; $setup }
      bus (read_addr_i) { [apply $type $address] direction : input; capacitance : $load; }
      bus (read_data_o) {
        [apply $type $width] direction : output;
        timing () { related_pin : \"$related\"; timing_sense : non_unate; $delay }
        timing () { related_pin : \"clk_i\"; timing_type : rising_edge; timing_sense : non_unate; $delay }
      }
    }"
}

proc ram_library {name cell} {
  set text "library ($name) { delay_model : table_lookup; time_unit : \"1ns\"; capacitive_load_unit (1, pf);\n"
  foreach edge {rise fall} {
    foreach {key percent} {input_threshold 50 output_threshold 50 slew_lower_threshold 20 slew_upper_threshold 80} {
      append text "${key}_pct_$edge : $percent; "
    }
  }
  return "$text\n$cell\n}"
}

read_liberty $lib
set_cmd_units -time ns -capacitance pF
set rams {}
foreach {- size width depth} [regexp -all -inline {\m(ram_(\d+)x(\d+)) } [slurp $out/bits.v]] {
  if {[dict exists $rams $size]} { continue }
  set access 0
  foreach {wanted ns} $ram_ns { if {"ram_$wanted" eq $size} { set access $ns } }
  dict set rams $size [list $width $depth $access]
  spill $out/$size.lib [ram_library $size [ram_cell $width $depth $access]]
  read_liberty $out/$size.lib
}
foreach {wanted ns} $ram_ns {
  if {![dict exists $rams ram_$wanted]} { error "--ram $wanted: $block has no such RAM; it has [expr {[dict size $rams] ? [string map {ram_ {}} [dict keys $rams]] : {none}}]" }
}
read_verilog $out/bits.v
link_design $block

# The longest path through what is read of a RAM, without the time that the RAM itself takes; 0 if it has none.
proc longest_through {size} {
  global rams
  set pins {}
  foreach cell [get_cells -quiet *] {
    if {[get_property $cell ref_name] ne $size} { continue }
    lappend pins {*}[get_pins -quiet [get_property $cell full_name]/read_data_o*]
  }
  set path [lindex [find_timing_paths -through $pins] 0]
  if {$path eq ""} { return 0 }
  return [expr {1 - [get_property $path slack] - [lindex [dict get $rams $size] 2]}]
}

set clocks [clocks_of_block]
clock_of 1 $clocks
set inputs {}
foreach port [all_inputs] { if {[get_property $port full_name] ni $clocks} { lappend inputs $port } }
set_input_delay 0 -clock clock $inputs
set_output_delay 0 -clock clock [all_outputs]
set_driving_cell -lib_cell $liberty::driver $inputs
set_load $liberty::load [all_outputs]
foreach reset [concat {*}[dict values [inputs_behind [register_pins {clear preset}]]]] { set_false_path -from [get_ports $reset] }
set path ""
foreach one [find_timing_paths] {  # the longest of each group: those that gate a clock are one of their own
  if {$path eq "" || [get_property $one slack] < [get_property $path slack]} { set path $one }
}
if {$path eq ""} { error "$block has no path to time" }
set ns [expr {1 - [get_property $path slack]}]
set start [place_of [get_property $path startpoint]]
set end [place_of [get_property $path endpoint]]
set depths [dict create]
foreach size [dict keys $rams] { dict set depths $size [longest_through $size] }
# The report shows the block at its highest frequency.
clock_of [expr {$ns + 1e-5}] $clocks
report_checks -format full_clock_expanded -digits 3 -fields {capacitance slew input_pins nets} > $out/timing.txt

# What the netlist is made of.
set cells 0
set area 0.0
set flip_flops 0
set used {}
foreach cell [get_cells *] {
  set kind [get_property $cell ref_name]
  if {[dict exists $rams $kind]} {
    lassign [dict get $rams $kind] width depth access
    set name [string map {\\ ""} [get_property $cell full_name]]
    lappend used "{\"instance\": \"$name\", \"width\": $width, \"depth\": $depth, \"access_ns\": $access,\
      \"path_ns\": [format %.4f [dict get $depths $kind]]}"
    continue
  }
  incr cells
  set area [expr {$area + [liberty::area $kind]}]
  incr flip_flops [dict get $liberty::cells $kind sequential]
}
if {$cells + [llength $used] != $cell_count} {
  error "OpenSTA read $cells cells and [llength $used] RAMs of the $cell_count in $out/bits.v"
}

set energy ""
if {$activity ne ""} {
  source $out/energy.tcl
  set energy ",
  \"energy\": {\"pj_per_clock\": [format %.6g [expr {$registers_pj + $gates_pj}]], \"leakage_nw\": [format %.6g $leakage_nw],\
    \"volts\": $volts, \"unmeasured\": $unmeasured, \"measured\": $measured}"
}
set values {}
foreach {name value} $parameters { lappend values "\"$name\": $value" }
set nand2_area [liberty::area $liberty::nand2]
spill $out/synth.json "{
  \"block\": \"$block\",
  \"parameters\": {[join $values {, }]},[expr {$liberty::clock eq "" ? "" : "\n  \"target_ns\": [format %.4f $liberty::clock],"}]
  \"library\": [string trim [slurp $out/library.json]],
  \"cells\": $cells,
  \"flip_flops\": $flip_flops,
  \"area_um2\": [format %.1f $area],
  \"nand2_equivalents\": [format %.0f [expr {$area / $nand2_area}]],
  \"rams\": [expr {[llength $used] == 0 ? {[]} : "\[\n    [join $used ",\n    "]\n  \]"}],
  \"critical_path\": {\"ns\": [format %.4f $ns], \"fmax_mhz\": [format %.1f [expr {1000 / $ns}]],\
    \"fo4\": [format %.1f [expr {$ns / $liberty::fo4}]], \"start\": \"$start\", \"end\": \"$end\"}$energy
}"
