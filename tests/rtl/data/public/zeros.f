+incdir+$WARPFOLD_PUBLIC/common_cells/include
$WARPFOLD_PUBLIC/common_cells/src/cc_pkg.sv
../../../cosim/data/compactor_policy.sv
pick_zeros.sv
-y $WARPFOLD_PUBLIC/common_cells/src
