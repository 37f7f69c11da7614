// SPDX-License-Identifier: Apache-2.0
// Icarus smoke bench of lane_register_access: every register of every row is written into the banks
// of its lane, each into a word of its own; then random instructions read theirs back, beside older
// ones that take banks at random.
`default_nettype none

module lane_register_access_tb #(
  parameter int Lanes = 16,
  parameter int Banks = 4,
  parameter int Operands = 3,
  parameter int Rows = 48,
  parameter int Words = 128
);

  localparam int RowWidth = simt_pkg::idx_width(Rows), AddrWidth = simt_pkg::idx_width(Words);
  localparam int NumberWidth = AddrWidth + simt_pkg::idx_width(Banks), OperandWidth = simt_pkg::idx_width(Operands);
  localparam int RowWords = Words / Rows, Registers = RowWords * Banks - 1;  // of a row in a bank; of a thread

  logic clk = 0, rst_n = 0;
  always #5 clk = ~clk;

  logic op_valid = 0;
  logic [AddrWidth-1:0] row_words = RowWords;
  logic [Lanes-1:0] op_mask;
  logic [Lanes*RowWidth-1:0] op_row;
  logic [Operands-1:0] op_reads;
  logic [Operands*NumberWidth-1:0] op_number;
  logic [Lanes*Banks-1:0] busy = 0;
  wire ready;
  wire [Lanes*Banks-1:0] enable;
  wire [Lanes*Banks*OperandWidth-1:0] operand;
  wire [Lanes*Banks*AddrWidth-1:0] addr;

  lane_register_access #(.Lanes(Lanes), .Banks(Banks), .Operands(Operands), .Rows(Rows),
                         .Words(Words)) dut (
    .clk_i(clk), .rst_ni(rst_n), .row_words_i(row_words), .op_valid_i(op_valid), .op_ready_o(ready),
    .op_mask_i(op_mask), .op_row_i(op_row), .op_reads_i(op_reads), .op_number_i(op_number),
    .busy_i(busy), .bank_enable_o(enable), .bank_operand_o(operand), .bank_addr_o(addr));

  integer seed = 1, ops = 0, conflicts = 0, older = 0;
  integer word [0:Lanes*Banks*Words-1];  // row * Registers + register, -1: of nobody

  `include "shared/bench.svh"

  // Runs the op that the pins describe. `writes`: into words that nobody has.
  task run(input writes);
    integer l, b, o, at, clocks, least;
    reg [Lanes*Operands-1:0] served;
    integer of_bank [0:Banks-1];
    begin
      served = 0;
      op_valid = 1;
      clocks = 0;
      least = 0;
      for (b = 0; b < Banks; b = b + 1) of_bank[b] = 0;
      for (o = 0; o < Operands; o = o + 1) if (op_reads[o]) begin
        b = op_number[o*NumberWidth +: NumberWidth] % Banks;
        of_bank[b] = of_bank[b] + 1;
        if (of_bank[b] > least) least = of_bank[b];
      end
      while (op_valid) begin
        busy = !writes && pick(2) ? $random(seed) & $random(seed) : 0;
        if (clocks > 20) busy = 0;
        #1;
        clocks = clocks + 1;
        if ((enable & busy) != 0) fail("a bank that is busy");
        for (l = 0; l < Lanes; l = l + 1)
          for (b = 0; b < Banks; b = b + 1) if (enable[l*Banks+b]) begin
            o = operand[(l*Banks+b)*OperandWidth +: OperandWidth];
            at = (l * Banks + b) * Words + addr[(l*Banks+b)*AddrWidth +: AddrWidth];
            if (!op_mask[l] || !op_reads[o] || served[l*Operands+o]) fail("not asked for");
            served[l*Operands+o] = 1;
            if ((op_number[o*NumberWidth +: NumberWidth] + op_row[l*RowWidth +: RowWidth]) % Banks != b)
              fail("by another bank");
            if (writes && word[at] != -1) fail("two registers in one word");
            if (writes) word[at] = op_row[l*RowWidth +: RowWidth] * Registers +
                                   op_number[o*NumberWidth +: NumberWidth];
            if (word[at] != op_row[l*RowWidth +: RowWidth] * Registers +
                            op_number[o*NumberWidth +: NumberWidth]) fail("of another thread");
          end else if (enable[l*Banks+b] !== 0) fail("unknown");
        for (l = 0; l < Lanes; l = l + 1)
          for (o = 0; o < Operands; o = o + 1)
            if (ready && op_mask[l] && op_reads[o] && !served[l*Operands+o]) fail("taken too early");
        if (busy != 0) older = older + 1;
        @(posedge clk);
        if (ready) op_valid <= 0;
        @(negedge clk);
      end
      if (clocks > 40) fail("never taken");
      if (writes && op_mask != 0 && clocks != least) fail("clocks");
      if (clocks > 1) conflicts = conflicts + 1;
      ops = ops + 1;
      op_mask = 'x; op_row = 'x; op_reads = 'x; op_number = 'x;
      busy = 'x;
      if (pick(2)) @(negedge clk);
    end
  endtask

  integer n, l, o;
  initial begin
    op_mask = 'x; op_row = 'x; op_reads = 'x; op_number = 'x;
    for (n = 0; n < Lanes * Banks * Words; n = n + 1) word[n] = -1;
    repeat (3) @(negedge clk);
    rst_n = 1;
    for (n = 0; n < Rows * Registers; n = n + 1) begin
      op_mask = '1;
      for (l = 0; l < Lanes; l = l + 1) op_row[l*RowWidth +: RowWidth] = (n / Registers + l) % Rows;
      op_reads = 1;
      op_number = n % Registers;
      run(1);
    end
    for (n = 0; n < 3000; n = n + 1) begin
      op_mask = $random(seed);
      for (l = 0; l < Lanes; l = l + 1) op_row[l*RowWidth +: RowWidth] = pick(Rows);
      op_reads = $random(seed);
      for (o = 0; o < Operands; o = o + 1) op_number[o*NumberWidth +: NumberWidth] = pick(Registers);
      run(0);
    end
    if (conflicts < 500 || older < 500) fail("coverage");
    $display("PASS lane_register_access: %0d ops, %0d of several clocks, %0d clocks beside others",
             ops, conflicts, older);
    $finish;
  end

endmodule

`default_nettype wire
