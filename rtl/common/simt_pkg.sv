// SPDX-License-Identifier: Apache-2.0
// Widths that several blocks derive from their parameters.
package simt_pkg;

  // Bits of an index into n things; one thing still has an index.
  function automatic int idx_width(input int n);
    idx_width = n > 1 ? $clog2(n) : 1;
  endfunction

endpackage
