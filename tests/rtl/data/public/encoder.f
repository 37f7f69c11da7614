../../../cosim/data/compactor_policy.sv
pick_encoder.sv
-v $WARPFOLD_PUBLIC/verilog-axis/rtl/priority_encoder.v
