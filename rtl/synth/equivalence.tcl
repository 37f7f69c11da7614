# SPDX-License-Identifier: Apache-2.0
# Proves that netlist.v does what the RTL does: flip-flops are paired by name, then every cone of logic between them by
# SAT, with induction where it takes more than one clock. Follows synth.tcl in the same run of Yosys.
proc prepare {name} {
  global block
  if {$liberty::inverse_only ne ""} { yosys splitnets w:* }
  # The pins of RAMs become ports, or nothing would compare what goes into them.
  yosys expose -evert t:ram_*
  # A register's bits go one by one: one that nothing reads is in no netlist.
  yosys opt_dff
  yosys simplemap t:\$*dff*
  yosys opt_clean
  yosys async2sync
  yosys dffunmap
  yosys rename $block $name
  yosys design -stash $name
}

yosys design -load elaborated
yosys prep -flatten -top $block
prepare gold

# RAMs stay black boxes on both sides.
yosys design -load elaborated
yosys delete $block
yosys read_liberty -ignore_miss_func $lib
yosys read_verilog $out/netlist.v
yosys hierarchy -check -top $block
yosys flatten
# Where no net has a register's name, what its flip-flop holds inside gets it.
if {$liberty::inverse_only ne ""} {
  set wires [names w:*]
  foreach wire $wires {
    if {[regexp {^[^/]*/((.*)\$_\w+_\.(\w+))$} $wire -> net register state] && $state in $liberty::inverse_only
        && "$block/$register" ni $wires} {
      yosys cd $block
      yosys rename $net $register
      yosys cd ..
    }
  }
}
prepare gate

yosys design -reset
foreach name {gold gate} { yosys design -copy-from $name -as $name $name }
yosys equiv_make gold gate equiv
yosys hierarchy -top equiv
yosys opt_clean -purge
yosys equiv_struct
yosys equiv_simple
yosys equiv_induct
yosys equiv_status
