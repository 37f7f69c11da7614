# SPDX-License-Identifier: Apache-2.0
# On the netlist in VHDL that GHDL makes of a design, before GHDL makes Verilog of it. GHDL 2.0 forgets `others` where it
# writes a choice in Verilog, but not in VHDL: a choice becomes a chain of conditions. Its own names of nets and instances
# get others, so that those of the second run do not meet them.
/^  with \w+ select \w+ <=$/,/ when others;$/{
  /^  with /{
    s/^  with (\w+) select (\w+) <=$/\1\n  \2 <=/
    h
    s/.*\n//
    x
    s/\n.*//
    x
    b names
  }
  s/ when others;$/;/
  t names
  G
  s/^(.*) when (\S+),\n(\w+)$/\1 when \3 = \2 else/
}
:names
s/\bn([0-9]+)_/net\1_/g
s/^  (\w+ : entity work\.)/  of_\1/
