// SPDX-License-Identifier: Apache-2.0
// SystemVerilog that Debian's Yosys and Icarus do not read, in the design beside it, too.
package pick_pkg;
  typedef enum logic [1:0] {Idle, Look, Offer} phase_e;

  typedef struct packed {
    phase_e phase;
    logic   together;
  } state_t;

  function automatic state_t entered(input state_t from, input phase_e phase);
    state_t state = from;
    state.phase = phase;
    return state;
  endfunction
endpackage
