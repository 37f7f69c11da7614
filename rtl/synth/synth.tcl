# SPDX-License-Identifier: Apache-2.0
# RTL to a netlist of a library's cells, in Yosys and ABC. scripts/rtl-synth sets, before it sources this file:
# block, parameters (name value …), sources, includes, lib (the Liberty file), netlist (one to take instead, or
# nothing), out (the folder of results). Leaves there netlist.v, cells.txt and, for timing.tcl, bits.v and netlist.tcl.

# The text a Yosys command prints; its Tcl commands return nothing.
proc output_of {args} {
  global out
  yosys tee -q -o $out/output.txt {*}$args
  set channel [open $out/output.txt]
  set text [read $channel]
  close $channel
  file delete $out/output.txt
  return $text
}

proc names {args} { return [split [string trim [output_of select -list {*}$args]] "\n"] }

# The parameters of an elaborated module: name value …
proc parameters_of {module} {
  set found {}
  foreach line [split [output_of dump -m $module] "\n"] {
    if {[regexp {^  (wire|cell|memory|process|connect) } $line]} { break }
    if {[regexp {^  parameter \\(\w+) ((?:32')?\d+)$} $line -> name value]} {
      lappend found $name [expr [string map [list "32'" 0b] $value]]
    }
  }
  return $found
}

# RAM wrappers become black boxes called ram_<width>x<depth>; the area model knows what a RAM costs.
proc box_rams {} {
  set sizes [dict create]
  foreach module [names A:hdlname=*ram_1r1w] {
    if {[string match */* $module]} { continue }
    set values [parameters_of $module]
    set width [dict get $values Width]
    set depth [dict get $values Depth]
    yosys blackbox $module
    yosys chtype -set ram_${width}x${depth} t:$module
    yosys rename $module ram_${width}x${depth}
    dict set sizes ram_${width}x${depth} [list $width $depth]
  }
  return $sizes
}

if {[catch { liberty::read $lib; liberty::roles } message]} { error "$lib: $message" }
set channel [open $out/abc.constr w]
puts $channel "set_driving_cell $liberty::driver"
puts $channel "set_load [expr {1000 * $liberty::load}] \[all_outputs\]"
close $channel

yosys read_verilog -sv -I$includes {*}$sources
set overrides {}
foreach {name value} $parameters { lappend overrides -chparam $name $value }
yosys hierarchy -check -top $block {*}$overrides
yosys proc
set latches [names t:\$dlatch t:\$adlatch t:\$dlatchsr]
if {$latches ne ""} { error "$block has latches: $latches" }
set rams [box_rams]
set effective [parameters_of $block]
yosys design -save elaborated

if {$netlist eq ""} {
  # Where a net has several names, a register's stays, then the block's own: opt_clean goes by the number of attributes.
  yosys setattr -set own 1 $block/w:*
  yosys setattr -set register 1 $block/w:*_q
  yosys flatten
  yosys setattr -unset hdlname w:*
  yosys synth -top $block
  yosys check -assert
  yosys dfflibmap -liberty $lib
  yosys abc -constr $out/abc.constr -liberty $lib
  yosys setundef -zero
  yosys opt_clean -purge
  yosys write_verilog -noattr $out/netlist.v
} else {
  file copy -force $netlist $out/netlist.v
}

# RAMs stay as they are, the block is the netlist's from here on.
yosys design -load elaborated
yosys delete $block
yosys read_liberty -lib $lib
yosys read_verilog $out/netlist.v
yosys hierarchy -check -top $block
yosys tee -q -o $out/cells.txt stat -liberty $lib
# OpenSTA cannot read an assignment to several parts of a bus: it gets a netlist of single bits.
yosys splitnets -ports
yosys opt_clean -purge
yosys write_verilog -noattr $out/bits.v
set channel [open $out/netlist.tcl w]
puts $channel "set effective {$effective}"
puts $channel "set cell_count [llength [names t:*]]"
close $channel
