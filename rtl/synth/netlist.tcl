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

# Where a path begins or ends, by a name the RTL knows: a port, a RAM's pin, or what a flip-flop holds, which is the named
# one of the nets that it drives; synth.tcl calls flip-flops that drive only the inverse after their register.
proc place_of {pin} {
  set name [get_property $pin full_name]
  set instance [$pin instance]
  if {![$pin is_top_level_port] && ![string match ram_*x* [get_property $instance ref_name]]} {
    set nets {}
    set pins [$instance pin_iterator]
    while {[$pins has_next]} {
      set pin [$pins next]
      if {[$pin is_driver] && [$pin net] ne "NULL"} { lappend nets [get_property [$pin net] full_name] }
    }
    $pins finish
    set named [lsearch -inline -not -regexp $nets {^_\d+_$}]
    if {$named ne ""} {
      set name $named
    } elseif {![regexp {^\\?(.*)\$_\w+_$} [get_property $instance full_name] -> name] && $nets ne ""} {
      set name [lindex $nets 0]
    }
  }
  return [string map {\\ ""} $name]
}

# Inputs change with the clock edge and outputs are wanted at the next one; a block without a clock has a virtual one.
proc clock_of {ns} {
  set pin [get_ports -quiet clk_i]
  if {[llength $pin] > 0} { create_clock -name clock -period $ns $pin } else { create_clock -name clock -period $ns }
}
