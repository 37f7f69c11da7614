// SPDX-License-Identifier: Apache-2.0
`include "assert.svh"
`include "shared/stays.svh"
`default_nettype none

// What lane_register_access must do, said operand by operand: each lane's is served once, by its
// bank and at its address, as soon as no older instruction and no operand before it takes the bank.
module lane_register_access_formal #(
  parameter int Lanes = 2,
  parameter int Banks = 2,
  parameter int Operands = 2,
  parameter int Rows = 4,
  parameter int Words = 4,
  parameter bit ByRow = 1'b1,
  localparam int RowWidth = simt_pkg::idx_width(Rows),
  localparam int BankWidth = simt_pkg::idx_width(Banks),
  localparam int AddrWidth = simt_pkg::idx_width(Words),
  localparam int NumberWidth = AddrWidth + BankWidth,
  localparam int OperandWidth = simt_pkg::idx_width(Operands)
) (
  input wire                            clk_i,
  input wire                            rst_ni,
  input wire [AddrWidth-1:0]            row_words_i,
  input wire                            op_valid_i,
  input wire [Lanes-1:0]                op_mask_i,
  input wire [Lanes*RowWidth-1:0]       op_row_i,
  input wire [Operands-1:0]             op_reads_i,
  input wire [Operands*NumberWidth-1:0] op_number_i,
  input wire [Lanes*Banks-1:0]          busy_i
);

  logic                                op_ready;
  logic [Lanes*Banks-1:0]              bank_enable;
  logic [Lanes*Banks*OperandWidth-1:0] bank_operand;
  logic [Lanes*Banks*AddrWidth-1:0]    bank_addr;

  lane_register_access #(.Lanes(Lanes), .Banks(Banks), .Operands(Operands), .Rows(Rows),
                         .Words(Words), .ByRow(ByRow)) dut (
    .op_ready_o    (op_ready),
    .bank_enable_o (bank_enable),
    .bank_operand_o(bank_operand),
    .bank_addr_o   (bank_addr),
    .*
  );

  `ASSUME_RESET_FIRST

  logic                      busy_q;  // this clock goes on with an op
  logic [Lanes*Operands-1:0] served_q, served;  // of the op: before this clock; with it

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) {busy_q, served_q} <= '0;
    else begin
      busy_q <= op_valid_i && !op_ready;
      served_q <= op_valid_i && !op_ready ? served : '0;
    end
  end

  `ASSUME_STAYS(OpStays, op_valid_i, op_ready, {row_words_i, op_mask_i, op_row_i, op_reads_i, op_number_i})

  logic                      once, legal, in_order, no_delay, all;
  logic [Lanes*Operands-1:0] asked;

  always_comb begin : serve
    logic [RowWidth-1:0]    row;
    logic [NumberWidth-1:0] number;
    logic [BankWidth-1:0]   bank;
    logic [AddrWidth-1:0]   addr;
    logic [Lanes*Banks-1:0] wanted;  // by an operand before
    logic                   by_bank;
    served = served_q;
    {once, legal, in_order, no_delay} = 4'b1111;
    wanted = '0;
    {row, number, bank, addr, by_bank} = '0;
    for (int l = 0; l < Lanes; l++) begin
      row = op_row_i[l*RowWidth +: RowWidth];
      for (int o = 0; o < Operands; o++) begin
        number = op_number_i[o*NumberWidth +: NumberWidth];
        bank = BankWidth'(number) + (ByRow ? BankWidth'(row) : BankWidth'(0));
        addr = AddrWidth'(row) * row_words_i + number[BankWidth +: AddrWidth];
        asked[l*Operands+o] = op_valid_i && op_mask_i[l] && op_reads_i[o];
        for (int b = 0; b < Banks; b++) begin
          by_bank = bank_enable[l*Banks+b] &&
                    bank_operand[(l*Banks+b)*OperandWidth +: OperandWidth] == OperandWidth'(o);
          if (by_bank) begin
            if (served[l*Operands+o]) once = 1'b0;
            if (!asked[l*Operands+o] || bank != BankWidth'(b) || busy_i[l*Banks+b] ||
                bank_addr[(l*Banks+b)*AddrWidth +: AddrWidth] != addr) legal = 1'b0;
            if (wanted[l*Banks+b]) in_order = 1'b0;
            served[l*Operands+o] = 1'b1;
          end
          if (asked[l*Operands+o] && !served_q[l*Operands+o] && bank == BankWidth'(b)) begin
            if (!by_bank && !busy_i[l*Banks+b] && !wanted[l*Banks+b]) no_delay = 1'b0;
            wanted[l*Banks+b] = 1'b1;
          end
        end
      end
    end
    all = (asked & ~served) == '0;
  end

  `ASSERT(ServedOnce, once)
  `ASSERT(ByItsBankAtItsAddress, legal)
  `ASSERT(FirstOperandsFirst, in_order)
  `ASSERT(NobodyWaitsForNothing, no_delay)
  `ASSERT(TakenWithTheLast, op_ready == (op_valid_i && all))
  `ASSERT(IdleWithoutAnOp, op_valid_i || bank_enable == '0)

  `COVER(WaitsForAnOlderOne, busy_q && op_ready && busy_i != '0)
  `COVER(TakesThreeClocks, busy_q && served_q != '0 && !op_ready)

  // For the induction.
  (* hierconn *) wire \dut.goes_on_q ;
  (* hierconn *) wire [Lanes*Operands-1:0] \dut.left_q ;

  `ASSERT(GoesOnInAnOp, \dut.goes_on_q == busy_q)
  `ASSERT(LeftIsWhatIsNotServed, !busy_q || \dut.left_q == (asked & ~served_q))

endmodule

`default_nettype wire
