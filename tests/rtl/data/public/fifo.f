+incdir+$WARPFOLD_PUBLIC/common_cells/include
$WARPFOLD_PUBLIC/common_cells/src/cc_pkg.sv
compactor_fifo.sv
../../../cosim/data/highest_rows/compactor_pick.sv
-y $WARPFOLD_PUBLIC/common_cells/src
