# SPDX-License-Identifier: Apache-2.0
# What a library is, found once for the tools that follow: `lib` becomes the one Liberty file that they read, and library.tcl
# in `out` holds all that liberty.tcl read, and the delay of the library's inverter with a fan-out of four, which is the unit
# that paths of different libraries have in common. Evaluated by OpenSTA; scripts/rtl-synth sets lib, library_name,
# library_files (plain ones), netlist, out and clock (a number and its unit, or nothing).
set liberty::all [expr {$netlist ne ""}]
if {[catch { liberty::read {*}$library_files; liberty::roles } message]} {
  error "$library_name: $message; wanted [expr {[llength $library_files] > 1 ? {the files of one library at one corner; with --pdk DIR:WORD,… words of their names} : {a whole Liberty file}}]"
}
set channel [open $lib w]
puts -nonewline $channel $liberty::text
close $channel
read_liberty $lib
set_cmd_units -time ns -capacitance pF

# A chain of inverters, each with three more of its kind beside the next one. Pins: the inverter's only input and output.
proc fo4_chain {stages} {
  dict for {pin facts} [dict get $liberty::cells $liberty::inverter pins] { set [dict get $facts direction] $pin }
  set text ""
  set wires {}
  for {set i 0} {$i < $stages} {incr i} {
    set from [expr {$i == 0 ? "in" : "n$i"}]
    set to [expr {$i == $stages - 1 ? "out" : "n[expr {$i + 1}]"}]
    if {$to ne "out"} { lappend wires $to }
    append text "  $liberty::inverter s$i (.${input}($from), .${output}($to));\n"
    foreach load {a b c} {
      lappend wires n$i$load
      append text "  $liberty::inverter s$i$load (.${input}($to), .${output}(n$i$load));\n"
    }
  }
  return "module fo4 (in, out);\n  input in;\n  output out;\n  wire [join $wires {, }];\n${text}endmodule\n"
}

# Mean of rising and falling edges, in ns, where the slews no longer hang on the input's: half of two stages in the middle.
proc fo4_of_library {} {
  global out
  set channel [open $out/fo4.v w]
  puts $channel [fo4_chain 12]
  close $channel
  read_verilog $out/fo4.v
  link_design fo4
  create_clock -name clock -period 1
  set_input_delay 0 -clock clock [get_ports in]
  set_output_delay 0 -clock clock [get_ports out]
  set path [lindex [find_timing_paths -to [get_ports out]] 0]
  if {$path eq ""} { error "$liberty::inverter, its inverter, has no delays" }
  # The points are pins: the input of a stage after its output.
  set at {}
  foreach point [get_property $path points] { lappend at [get_property $point arrival] }
  return [expr {([lindex $at 18] - [lindex $at 14]) / 2}]
}

# From one of its flip-flops to the next, in ns: clock to output, and set-up. 0 where it has none with a reset.
proc flip_flop_of_library {} {
  global out
  set cell $liberty::flip_flop
  if {$cell eq ""} { return 0 }
  set facts [dict get $liberty::cells $cell]
  set ff [dict get $facts ff]
  set data [string trim [dict get $ff next_state] "() !"]
  set clock [string trim [dict get $ff clocked_on] "() !'"]
  set ties ""
  dict for {pin about} [dict get $facts pins] {
    switch -- [dict get $about direction] {
      output { set output $pin }
      input { if {$pin ni [list $data $clock]} { append ties ", .${pin}(tie)" } }
    }
  }
  set channel [open $out/fo4.v w]
  puts $channel "module pair (ck, tie, d, q);\n  input ck, tie, d;\n  output q;\n  wire n;
  $cell a (.${clock}(ck), .${data}(d), .${output}(n)$ties);\n  $cell b (.${clock}(ck), .${data}(n), .${output}(q)$ties);\nendmodule"
  close $channel
  read_verilog $out/fo4.v
  link_design pair
  create_clock -name clock -period 1 [get_ports ck]
  set path [lindex [find_timing_paths -from [get_pins a/$clock] -to [get_pins b/$data]] 0]
  if {$path eq ""} { return 0 }
  return [expr {1 - [get_property $path slack]}]
}

set liberty::fo4 [fo4_of_library]
set flip_flop_ns [flip_flop_of_library]
if {$liberty::fo4 <= 0} { error "$library_name: $liberty::inverter, its inverter, takes no time; wanted a library with delays" }

# The clock that synthesis aims at, in ns.
set liberty::clock ""
if {$clock ne ""} {
  lassign $clock number unit
  switch -- $unit {
    ns { set liberty::clock $number }
    MHz { set liberty::clock [expr {1000.0 / $number}] }
    FO4 { set liberty::clock [expr {$number * $liberty::fo4}] }
  }
}

set channel [open $out/library.tcl w]
puts $channel "namespace eval liberty {"
foreach name [info vars ::liberty::*] {
  if {[namespace tail $name] in {text groups}} { continue }
  puts $channel "  variable [namespace tail $name] [list [set $name]]" }
puts $channel "}"
close $channel

set flip_flop_um2 [expr {$liberty::flip_flop eq "" ? 0 : [liberty::area $liberty::flip_flop]}]
set channel [open $out/library.json w]
puts $channel "{\"name\": \"$liberty::library\", \"file\": \"$library_file\", \"nand2\": \"$liberty::nand2\",\
  \"nand2_area_um2\": [liberty::area $liberty::nand2], \"fo4_ns\": [format %.5f $liberty::fo4],\
  \"flip_flop\": \"$liberty::flip_flop\", \"flip_flop_um2\": $flip_flop_um2, \"flip_flop_ns\": [format %.5f $flip_flop_ns],\
  \"input_driver\": \"$liberty::driver\", \"output_load_pf\": [format %.4g $liberty::load]}"
close $channel
