# SPDX-License-Identifier: Apache-2.0
# RTL to a netlist of a library's cells, in Yosys and ABC. scripts/rtl-synth sets, before it sources this file: block,
# parameters (name value …, all of them), sources, reading (options), lib (the Liberty file; library_name is the user's word for it),
# effort (normal: Yosys's own script of ABC; high), netlist (one to take instead, or nothing), out (the folder of results), and evaluates elaborate.tcl and the library.tcl that
# library.tcl wrote. Leaves there netlist.v, cells.txt and, for timing.tcl, bits.v and netlist.tcl.

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

if {$liberty::driver eq $liberty::inverter} { error "$library_name: has no buffer, without which ABC does not work" }
set channel [open $out/abc.constr w]
puts $channel "set_driving_cell $liberty::driver"
puts $channel "set_load [expr {1000 * $liberty::load}] \[all_outputs\]"
close $channel

elaborate $parameters
yosys proc
set latches [names t:\$dlatch t:\$adlatch t:\$dlatchsr]
if {$latches ne ""} { error "$block has latches: $latches" }
set rams [box_rams]
yosys design -save elaborated

if {$netlist eq ""} {
  # Where a net has several names, a register's stays, then the block's own: opt_clean goes by the number of attributes.
  yosys setattr -set own 1 $block/w:*
  yosys setattr -set register 1 $block/w:*_q
  yosys flatten
  yosys setattr -unset hdlname w:*
  # States keep their codes: checks and activities go by the registers of the RTL.
  yosys synth -nofsm -top $block
  yosys check -assert
  # Flip-flops are called after the register that they hold: no net keeps its name where a cell has its inverse alone.
  if {$liberty::inverse_only ne ""} { yosys rename -wire {t:$_*DFF*} }
  yosys dfflibmap -liberty $lib
  set aim [expr {$liberty::clock eq "" ? "" : [list -D [format %.0f [expr {1000 * $liberty::clock}]]]}]
  # The other script maps for delay first, which takes more gates; commas are blanks to Yosys.
  set fast "strash; scorr; dc2; strash; dch -f; map -B 0.9 {D}; topo; buffer -c; upsize {D}; dnsize {D}; stime -p"
  set script [expr {$effort eq "high" ? [list -script "+[string map {{ } ,} $fast]"] : ""}]
  yosys abc -constr $out/abc.constr -liberty $lib {*}$aim {*}$script
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
yosys read_verilog [expr {$netlist eq "" ? "$out/netlist.v" : $netlist}]
yosys hierarchy -check -top $block
yosys tee -q -o $out/cells.txt stat -liberty $lib
# OpenSTA cannot read an assignment to several parts of a bus: it gets a netlist of single bits.
yosys splitnets -ports
yosys opt_clean -purge
yosys write_verilog -noattr $out/bits.v
set channel [open $out/netlist.tcl w]
puts $channel "set cell_count [llength [names t:*]]"
close $channel
# For the energy of its gates: registers and what is read of RAMs become inputs, by the names of their nets.
if {$activity ne ""} {
  set sequential {}
  dict for {cell about} $liberty::cells { if {[dict get $about sequential]} { lappend sequential t:$cell %co1 t:$cell %d } }
  yosys select -set held {*}$sequential
  yosys select -add t:ram_*
  yosys delete t:ram_*
  yosys expose -input @held
  yosys rename $block ${block}_cut
  yosys write_verilog -noattr $out/cut.v
}
