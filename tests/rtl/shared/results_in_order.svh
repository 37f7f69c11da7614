// SPDX-License-Identifier: Apache-2.0
// For benches of blocks that take an operation a clock and bring results in order, two clocks later. Each bench has tasks:
//   check_result    the outputs are those of the oldest result that is due, place 0
//   move_up         places 1 and up of the results that are due become 0 and up
//   work_out        puts what is due of the operation at the ports in place `due`
// They have a parameter `Equal`: 0 for a design of other clocks, whose results come when it likes, up to Deep operations
// under way.

  localparam int Deep = Equal != 0 ? 2 : 16;
  localparam int Patience = 1000;  // clocks in which nothing goes on

  logic clk_i = 1'b0, rst_ni = 1'b0;
  logic op_valid_i = 1'b0, op_ready_o, res_valid_o, res_ready_i = 1'b0;

  always #5 clk_i = !clk_i;

  integer due = 0;               // results
  logic   oldest_is_out = 1'b0;  // it is two clocks old
  logic   stalled = 1'b0;
  integer idle = 0;
  integer results = 0, stalls = 0, back_to_back = 0;

  // Values from before the edge: inputs change at the falling one.
  always @(posedge clk_i) if (rst_ni) begin
    if (Equal != 0) begin
      expect_is("result valid", res_valid_o === oldest_is_out);
      expect_is("operation ready", op_ready_o === (due < 2 || res_ready_i));
    end else begin
      expect_is("result valid", res_valid_o === 1'b0 || (res_valid_o === 1'b1 && due > 0));
      expect_is("a result stays", !stalled || res_valid_o);
      expect_is("operation ready", op_ready_o === 1'b0 || op_ready_o === 1'b1);
    end
    stalled = res_valid_o && !res_ready_i;
    idle = (op_valid_i && op_ready_o) || (res_valid_o && res_ready_i) || (!op_valid_i && due == 0) ? 0 : idle + 1;
    expect_is("in time", idle < Patience);
    if (res_valid_o) begin
      check_result;
      if (!res_ready_i) stalls = stalls + 1;
      else begin
        results = results + 1;
        if (due >= 2 || Equal == 0) back_to_back = back_to_back + 1;
        due = due - 1;
        move_up;
      end
    end
    oldest_is_out = due > 0;
    if (op_valid_i && op_ready_o) begin
      work_out;
      due = due + 1;
    end
  end

  // Offers what is at the ports until it is taken.
  task automatic hand_over;
    begin
      while (due == Deep && Equal == 0) @(negedge clk_i);
      op_valid_i = 1'b1;
      @(posedge clk_i);
      while (!op_ready_o) @(posedge clk_i);
      @(negedge clk_i);
      op_valid_i = 1'b0;
    end
  endtask

  task automatic reset;
    begin
      rst_ni = 1'b0;
      due = 0;
      oldest_is_out = 1'b0;
      stalled = 1'b0;
      repeat (2) @(negedge clk_i);
      rst_ni = 1'b1;
    end
  endtask

  integer ready_of_8 = 8;
  always @(negedge clk_i) res_ready_i = $urandom % 8 < ready_of_8;

  // After the last of `operations` random ones.
  task automatic finish_results(input integer operations);
    begin
      ready_of_8 = 8;
      repeat (4) @(negedge clk_i);
      while (Equal == 0 && due > 0) @(negedge clk_i);
      expect_is("all results came", due == 0);
      expect_is("coverage", results > operations && stalls > 0 && back_to_back > 0);
    end
  endtask
