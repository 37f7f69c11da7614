# SPDX-License-Identifier: Apache-2.0
# Writes parameters.tcl: all parameters of the block, those that were not given with their defaults.
elaborate $parameters
set channel [open $out/parameters.tcl w]
puts $channel "set parameters {[parameters_of $block]}"
close $channel
