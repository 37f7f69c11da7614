// SPDX-License-Identifier: Apache-2.0
`include "assert.svh"
`default_nettype none

// What a register file needs whose lanes have addresses of their own (TBC sec. 7, HARP sec. 8): per
// lane the bank and the address of each operand, from the row of the lane's thread, and who is
// served where two want one bank. A file addressed by row does that once for a warp.
// Twin: models/core/register_banks.
//
// Register w of row r is in bank (w + r) mod Banks of its lane, at r * row_words_i + w / Banks.
// Each lane goes on by itself: in a clock each of its banks serves the first operand that wants it,
// unless busy_i says that an older instruction's takes it. An operand collector has one of these;
// busy_i are the enables of those of older instructions, together.
//
// An op is served from its first clock on and taken (op_ready_o) in the clock that serves its last
// access. Its payload stays until then. What is left to be served is all that is in flip-flops.
module lane_register_access #(
  parameter int Lanes = 16,
  parameter int Banks = 4,     // of a lane, a power of two
  parameter int Operands = 3,  // of an instruction
  parameter int Rows = 48,
  parameter int Words = 128,   // of a bank
  parameter bit ByRow = 1'b1,  // 0: register w is in bank w mod Banks
  localparam int RowWidth = simt_pkg::idx_width(Rows),
  localparam int BankWidth = simt_pkg::idx_width(Banks),
  localparam int AddrWidth = simt_pkg::idx_width(Words),
  localparam int NumberWidth = AddrWidth + BankWidth,  // of a register
  localparam int OperandWidth = simt_pkg::idx_width(Operands)
) (
  input  wire                                clk_i,
  input  wire                                rst_ni,
  input  wire  [AddrWidth-1:0]               row_words_i,  // of a row in a bank: the kernel's

  input  wire                                op_valid_i,
  output logic                               op_ready_o,
  input  wire  [Lanes-1:0]                   op_mask_i,
  input  wire  [Lanes*RowWidth-1:0]          op_row_i,
  input  wire  [Operands-1:0]                op_reads_i,    // the operands that there are
  input  wire  [Operands*NumberWidth-1:0]    op_number_i,   // their registers

  // Bank b of lane l is number l*Banks+b.
  input  wire  [Lanes*Banks-1:0]              busy_i,
  output logic [Lanes*Banks-1:0]              bank_enable_o,
  output logic [Lanes*Banks*OperandWidth-1:0] bank_operand_o,
  output logic [Lanes*Banks*AddrWidth-1:0]    bank_addr_o
);

  `ASSERT_INIT(BanksArePowerOfTwo, Banks >= 2 && Banks == 1 << BankWidth)
  `ASSERT_INIT(ParametersLegal, Lanes >= 1 && Operands >= 1 && Rows >= 1 && Words >= 1)

  logic                      goes_on_q, goes_on_d;
  logic [Lanes*Operands-1:0] left_q, left_d;  // operand o of lane l is number l*Operands+o
  logic                      all_served;

  for (genvar lane = 0; lane < Lanes; lane++) begin : gen_lane
    logic [RowWidth-1:0]          row;
    logic [AddrWidth-1:0]         base;
    logic [Operands-1:0]          pending, served;
    logic [Operands*Banks-1:0]    wants, serves;  // operand o's of bank b is number b*Operands+o
    assign row = op_row_i[lane*RowWidth +: RowWidth];
    assign base = AddrWidth'(row) * row_words_i;
    assign pending = goes_on_q ? left_q[lane*Operands +: Operands]
                               : op_reads_i & {Operands{op_valid_i && op_mask_i[lane]}};

    for (genvar o = 0; o < Operands; o++) begin : gen_operand
      logic [BankWidth-1:0] bank;
      if (ByRow) assign bank = op_number_i[o*NumberWidth +: BankWidth] + BankWidth'(row);
      else assign bank = op_number_i[o*NumberWidth +: BankWidth];
      for (genvar b = 0; b < Banks; b++) begin : gen_wants
        assign wants[b*Operands + o] = pending[o] && bank == BankWidth'(b);
      end
    end

    for (genvar b = 0; b < Banks; b++) begin : gen_bank
      localparam int Bank = lane * Banks + b;
      wire [Operands-1:0] first = wants[b*Operands +: Operands] & (~wants[b*Operands +: Operands] + Operands'(1));
      logic               enable;
      assign enable = wants[b*Operands +: Operands] != '0 && !busy_i[Bank];  // seeded-bug: assign enable = wants[b*Operands +: Operands] != '0;
      assign serves[b*Operands +: Operands] = first & {Operands{enable}};
      assign bank_enable_o[Bank] = enable;
      always_comb begin : select
        logic [OperandWidth-1:0] operand;
        logic [AddrWidth-1:0]    offset;
        operand = '0;
        offset = '0;
        for (int o = 0; o < Operands; o++) begin
          if (first[o]) operand |= OperandWidth'(o);
          offset |= op_number_i[o*NumberWidth+BankWidth +: AddrWidth] & {AddrWidth{first[o]}};
        end
        bank_operand_o[Bank*OperandWidth +: OperandWidth] = operand;
        bank_addr_o[Bank*AddrWidth +: AddrWidth] = base + offset;
      end
    end

    always_comb begin : serve
      served = '0;
      for (int b = 0; b < Banks; b++) served |= serves[b*Operands +: Operands];
    end
    assign left_d[lane*Operands +: Operands] = pending & ~served;
  end

  assign all_served = left_d == '0;
  assign op_ready_o = op_valid_i && all_served;
  assign goes_on_d = op_valid_i && !all_served;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) goes_on_q <= 1'b0;
    else goes_on_q <= goes_on_d;
  end
  always_ff @(posedge clk_i) left_q <= left_d;

  `ASSERT(StaysValid, !goes_on_q || op_valid_i)

endmodule

`default_nettype wire
