// SPDX-License-Identifier: Apache-2.0
`default_nettype none

// The priority encoders of a thread matrix: per lane, the lowest row with a thread there.
// One binary tree over the rows for all answers, so that each is logarithmic in Rows and the lanes
// share nothing; a node holds one bit per lane.
module lane_priority #(
  parameter int Lanes = 32,  // threads of a row
  parameter int Rows = 32,
  localparam int RowWidth = simt_pkg::idx_width(Rows)
) (
  input  wire  [Rows*Lanes-1:0]     threads_i,  // row r, lane l is bit r*Lanes+l
  output logic [Rows*Lanes-1:0]     lower_o,    // a lower row has a thread in this lane
  output logic [Lanes-1:0]          any_o,      // the lane has a thread
  output logic [Lanes-1:0]          many_o,     // it has more than one
  output logic [RowWidth*Lanes-1:0] row_o       // bit b of the lowest row, lane l is bit b*Lanes+l
);

  localparam int Leaves = 1 << RowWidth;

  // Node 1 is the root, the children of node n are 2n (lower rows) and 2n+1; row r is Leaves+r.
  for (genvar n = 2 * Leaves - 1; n > 0; n--) begin : gen_up
    logic [Lanes-1:0] any, many;
    if (n < Leaves) begin : gen_node
      assign any = gen_up[2*n].any | gen_up[2*n+1].any;
      assign many =
          gen_up[2*n].many | gen_up[2*n+1].many | (gen_up[2*n].any & gen_up[2*n+1].any);
    end else if (n < Leaves + Rows) begin : gen_row
      assign any = threads_i[(n-Leaves)*Lanes +: Lanes];
      assign many = '0;
    end else begin : gen_none
      assign any = '0;
      assign many = '0;
    end
  end

  for (genvar n = 1; n < Leaves + Rows; n++) begin : gen_down
    logic [Lanes-1:0] lower;
    if (n == 1) assign lower = '0;
    else if (n % 2 == 0) assign lower = gen_down[n/2].lower;
    else assign lower = gen_down[n/2].lower | gen_up[n-1].any;
    if (n >= Leaves) assign lower_o[(n-Leaves)*Lanes +: Lanes] = lower;
    else if (2 * n >= Leaves + Rows) begin : gen_no_rows
      wire [Lanes-1:0] unused_lower = lower;
    end
  end

  // Bit b says in which half of a node of 2^(b+1) rows the thread is; the nodes above hand on the
  // bit of the child that it is in.
  for (genvar b = 0; b < RowWidth; b++) begin : gen_bit
    for (genvar n = (Leaves >> b) - 1; n > 0; n--) begin : gen_up2
      logic [Lanes-1:0] upper;
      if (n >= Leaves >> (b + 1)) assign upper = ~gen_up[2*n].any;
      else assign upper = (gen_up[2*n].any & gen_up2[2*n].upper) |
                          (~gen_up[2*n].any & gen_up2[2*n+1].upper);
    end
    assign row_o[b*Lanes +: Lanes] = gen_up2[1].upper;
  end

  assign any_o = gen_up[1].any;
  assign many_o = gen_up[1].many;

endmodule

`default_nettype wire
