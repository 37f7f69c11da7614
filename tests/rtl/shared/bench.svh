// SPDX-License-Identifier: Apache-2.0
// What benches of one operation after another share. They declare `seed` and `ops`.

  task fail(input [8*40-1:0] what);
    begin
      $display("FAIL at %0t after %0d ops: %0s", $time, ops, what);
      $finish_and_return(1);
    end
  endtask

  function integer pick(input integer n);
    pick = $unsigned($random(seed)) % n;
  endfunction
