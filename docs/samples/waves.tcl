# The gallery's picture of the compactor's ports, as waves.png: docs/gallery.md.
foreach signal {clk_i req_valid_i req_ready_o warp_valid_o warp_ready_i warp_mask_o warp_last_o} {
  lappend signals core0.compactor.$signal
}
gtkwave::addSignalsFromList [concat core0.thread_compactor_sockets.cycle $signals]
gtkwave::highlightSignalsFromList [list {core0.thread_compactor_sockets.cycle[63:0]}]
gtkwave::/Edit/Data_Format/Decimal
gtkwave::unhighlightSignalsFromList [list {core0.thread_compactor_sockets.cycle[63:0]}]
gtkwave::setWindowStartTime 18880800
gtkwave::setZoomFactor -10.6
gtkwave::/File/Grab_To_File waves.png
exit
