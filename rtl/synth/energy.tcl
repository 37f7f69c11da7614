# SPDX-License-Identifier: Apache-2.0
# Energy of a clock from how often inputs and registers switch, in OpenSTA, which spreads activity from inputs through all
# cells, registers included, and forgets there what it was told of their outputs. So it is asked twice. scripts/rtl-synth
# sets part to registers: these are measured in the block itself, once its activities are spread; then to gates: they are
# measured in cut.v, where synth.tcl made inputs of what registers and RAMs hold. energy.tcl in `out` gets the results.
liberty::read $lib
liberty::roles
set measured [dict create]
foreach line [split [string trim [slurp $activity]] "\n"] {
  if {![regexp {^(\S+) (\d\S*) (\d\S*)$} $line -> name transitions ones]} {
    error "$activity: '$line': wanted a name, transitions per clock and a part of the time"
  }
  dict set measured $name [list $transitions $ones]
}

# In W: dynamic power of a group of cells, leakage of all.
proc power_of {group} {
  global out
  report_power -digits 9 > $out/power.txt
  set text [slurp $out/power.txt]
  if {![regexp "\n$group\\s+(\\S+)\\s+(\\S+)" $text -> internal switching] ||
      ![regexp {\nTotal\s+\S+\s+\S+\s+(\S+)} $text -> leakage]} { error "OpenSTA reported no power of $group cells" }
  return [list [expr {$internal + $switching}] $leakage]
}

proc leave {text} {
  global out
  set channel [open $out/energy.tcl a]
  puts $channel $text
  close $channel
}

read_liberty $lib
set_cmd_units -time ns -capacitance pF
if {$part eq "registers"} {
  read_verilog $out/bits.v
  link_design $block
} else {
  read_verilog $out/cut.v
  link_design ${block}_cut
  source $out/energy.tcl
}
set period 10.0
clock_of $period [clocks_of_block]
set inputs {}
foreach port [all_inputs] { if {[get_property $port full_name] ni {clk_i rst_ni}} { lappend inputs $port } }
set_input_delay 0 -clock clock $inputs  ;# transitions are of this clock
set_driving_cell -lib_cell $liberty::driver $inputs
set_load $liberty::load [all_outputs]

if {$part eq "registers"} {
  set_power_activity -input -activity 0 -duty 0
  power_of Sequential
  set register_of [dict create]
  foreach cell [get_cells *] {
    set kind [get_property $cell ref_name]
    if {![dict exists $liberty::cells $kind] || ![dict get $liberty::cells $kind sequential]} { continue }
    foreach pin [all_of [$cell pin_iterator]] {
      if {![$pin is_driver] || [$pin net] eq "NULL"} { continue }
      set register [place_of $pin]
      dict set register_of [string map {\\ ""} [get_property [$pin net] full_name]] $register
      if {![dict exists $measured $register]} { continue }
      # What set_power_activity -pins would call, had Debian's version all its procedures.
      sta::set_power_pin_activity $pin {*}[dict get $measured $register]
    }
  }
  lassign [power_of Sequential] watts leakage
  set volts [expr {[regexp {nom_voltage\s*:\s*([\d.]+)} [slurp $lib] -> value] ? $value : 0}]
  leave "set registers_pj [expr {$watts * $period * 1e3}]; set leakage_nw [expr {$leakage * 1e9}]; set volts $volts"
  leave "set register_of {$register_of}"
} else {
  set found 0
  foreach port $inputs {
    set name [string map {\\ ""} [get_property $port full_name]]
    if {[dict exists $register_of $name]} { set name [dict get $register_of $name] }
    set switches [expr {[dict exists $measured $name] ? [dict get $measured $name] : {0 0}}]
    incr found [dict exists $measured $name]
    sta::set_power_input_port_activity $port {*}$switches
  }
  lassign [power_of Combinational] watts
  leave "set gates_pj [expr {$watts * $period * 1e3}]; set measured $found; set unmeasured [expr {[llength $inputs] - $found}]"
}
