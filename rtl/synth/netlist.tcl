# SPDX-License-Identifier: Apache-2.0
# What timing.tcl and energy.tcl ask OpenSTA about a netlist.
proc slurp {file} {
  set channel [open $file]
  set text [read $channel]
  close $channel
  return $text
}

proc spill {file text} {
  set channel [open $file w]
  puts $channel $text
  close $channel
}

# What iterators of OpenSTA walk over.
proc all_of {iterator} {
  set all {}
  while {[$iterator has_next]} { lappend all [$iterator next] }
  $iterator finish
  return $all
}

# Where a path begins or ends, by a name the RTL knows: a port, a RAM's pin, or what a flip-flop holds, which is the named
# one of the nets that it drives; synth.tcl calls flip-flops that drive only the inverse after their register.
proc place_of {pin} {
  set name [get_property $pin full_name]
  set instance [$pin instance]
  if {![$pin is_top_level_port] && ![string match ram_*x* [get_property $instance ref_name]]} {
    set nets {}
    foreach pin [all_of [$instance pin_iterator]] {
      if {[$pin is_driver] && [$pin net] ne "NULL"} { lappend nets [get_property [$pin net] full_name] }
    }
    set named [lsearch -inline -not -regexp $nets {^_\d+_$}]
    if {$named ne ""} {
      set name $named
    } elseif {![regexp {^\\?(.*)\$_\w+_$} [get_property $instance full_name] -> name] && $nets ne ""} {
      set name [lindex $nets 0]
    }
  }
  return [string map {\\ ""} $name]
}

# Pins of flip-flops that their Liberty entries have under these keys, clocked_on, clear or preset; a RAM has a clock, too.
# (OpenSTA's own all_registers takes a tied preset for a clock.)
proc register_pins {keys} {
  set found {}
  foreach cell [get_cells *] {
    set kind [get_property $cell ref_name]
    set names [expr {[string match ram_*x* $kind] && "clocked_on" in $keys ? "clk_i" : ""}]
    foreach key $keys {
      if {[dict exists $liberty::cells $kind ff $key]} { lappend names {*}[regexp -all -inline {\w+} [dict get $liberty::cells $kind ff $key]] }
    }
    if {$names eq ""} { continue }
    foreach pin [all_of [$cell pin_iterator]] {
      if {[lindex [split [get_property $pin full_name] /] end] in $names} { lappend found $pin }
    }
  }
  return $found
}

# By net of these pins the inputs that it hangs on, straight or through gates.
proc inputs_behind {pins} {
  set inputs [dict create]
  foreach pin $pins {
    set net [$pin net]
    if {$net eq "NULL" || [dict exists $inputs [get_property $net full_name]]} { continue }
    set behind {}
    set drives [lmap end [all_of [$net pin_iterator]] { $end is_driver }]
    set ports [lmap port [get_ports -quiet -of_objects $net] { get_property $port direction }]
    if {1 in $drives || "input" in $ports} {  # no constant, on which get_fanin would crash
      foreach from [get_fanin -to $net -flat] {
        if {[$from is_top_level_port]} { lappend behind [get_property $from full_name] }
      }
    }
    dict set inputs [get_property $net full_name] $behind
  }
  return $inputs
}

# The inputs that are clocks.
proc clocks_of_block {} {
  set inputs [inputs_behind [register_pins clocked_on]]
  dict for {net behind} $inputs {
    if {$behind eq ""} {
      error "$net is the clock of a register, and comes from no input: time the block with an input in its place"
    }
  }
  return [lsort -unique [concat {*}[dict values $inputs]]]
}

# Inputs change with the clock edge and outputs are wanted at the next one. A block without a clock has a virtual one;
# several are taken for one.
proc clock_of {ns clocks} {
  create_clock -name clock -period $ns {*}[expr {$clocks eq "" ? {} : [list [get_ports $clocks]]}]
}
