// SPDX-License-Identifier: Apache-2.0
`default_nettype none

// a × b + c as fma_lane must round it, for its bench and its proof: both parts as whole numbers of the smallest unit that a
// product can have, hundreds of bits wide.
module fma_exact #(
  parameter int Exponent = 8,
  parameter int Fraction = 23,
  localparam int Width = 1 + Exponent + Fraction
) (
  input  wire  [Width-1:0] a_i,
  input  wire  [Width-1:0] b_i,
  input  wire  [Width-1:0] c_i,
  output logic [Width-1:0] res_o
);

  localparam int Bias = (1 << (Exponent - 1)) - 1;
  localparam int Most = 1 << Exponent;
  localparam int Exact = 2 * Most + 2 * Fraction + 4;
  localparam logic [Exponent-1:0] Special = {Exponent{1'b1}};

  always_comb begin : compute
    logic [Exact-1:0]    product, addend, sum, rest, half;
    logic [Width:0]      rounded;
    logic                minus_product, minus_c, minus, nan, inf;
    integer              exp_a, exp_b, exp_c, exponent, cut;
    exp_a = a_i[Fraction +: Exponent] == '0 ? 1 : 32'(a_i[Fraction +: Exponent]);
    exp_b = b_i[Fraction +: Exponent] == '0 ? 1 : 32'(b_i[Fraction +: Exponent]);
    exp_c = c_i[Fraction +: Exponent] == '0 ? 1 : 32'(c_i[Fraction +: Exponent]);
    product = Exact'({a_i[Fraction +: Exponent] != '0, a_i[Fraction-1:0]}) *
              Exact'({b_i[Fraction +: Exponent] != '0, b_i[Fraction-1:0]});
    product = product << (exp_a + exp_b - 2);
    addend = Exact'({c_i[Fraction +: Exponent] != '0, c_i[Fraction-1:0]});
    addend = addend << (exp_c + Bias + Fraction - 2);
    minus_product = a_i[Width-1] ^ b_i[Width-1];
    minus_c = c_i[Width-1];
    minus = minus_product;
    if (minus_product == minus_c) begin
      sum = product + addend;
    end else if (product >= addend) begin
      sum = product - addend;
      if (sum == '0) minus = 1'b0;
    end else begin
      sum = addend - product;
      minus = minus_c;
    end
    exponent = 1;
    for (int q = 0; q < Exact; q++) begin
      if (sum[q] && q + 2 - Bias - 2 * Fraction > 1) exponent = q + 2 - Bias - 2 * Fraction;
    end
    cut = exponent + Bias + Fraction - 2;  // the place of the result's lowest bit
    half = Exact'(1) << (cut - 1);
    rest = sum & ((half << 1) - Exact'(1));
    sum = sum >> cut;
    if (rest > half || (rest == half && sum[0])) sum = sum + Exact'(1);
    if (exponent > Most) exponent = Most;
    rounded = (Width + 1)'(sum) + ((Width + 1)'(exponent - 1) << Fraction);
    inf = rounded >= ((Width + 1)'(Special) << Fraction);
    nan = 1'b0;
    if (a_i[Fraction +: Exponent] == Special || b_i[Fraction +: Exponent] == Special) begin
      inf = 1'b1;
      minus = minus_product;
      nan = (a_i[Fraction +: Exponent] == Special && (a_i[Fraction-1:0] != '0 || b_i[Width-2:0] == '0)) ||
            (b_i[Fraction +: Exponent] == Special && (b_i[Fraction-1:0] != '0 || a_i[Width-2:0] == '0));
    end
    if (c_i[Fraction +: Exponent] == Special) begin
      nan = nan || c_i[Fraction-1:0] != '0 ||
            ((a_i[Fraction +: Exponent] == Special || b_i[Fraction +: Exponent] == Special) && minus_product != minus_c);
      inf = 1'b1;
      minus = minus_c;
    end
    res_o = {minus, rounded[Width-2:0]};
    if (inf) res_o = {minus, Special, {Fraction{1'b0}}};
    if (nan) res_o = {1'b0, {(Width - 1){1'b1}}};
  end

endmodule

`default_nettype wire
