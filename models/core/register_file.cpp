// SPDX-License-Identifier: Apache-2.0
#include "warpfold/core/register_file.h"

#include <algorithm>

namespace warpfold {
namespace {

std::uint8_t extra_read_cycles(const isa::MicroOp& op, unsigned banks, unsigned registers) {
  std::vector<unsigned> reads(banks, 0);
  unsigned most = 1;
  for (isa::Word word : op.reads) {
    if (word < registers) most = std::max(most, ++reads[word % banks]);
  }
  return static_cast<std::uint8_t>(most - 1);
}

}  // namespace

RegisterFile::RegisterFile(sc_core::sc_module_name name, const CoreParams& params, StatGroup& stats)
    : sc_module(name),
      banks_(params.register_banks),
      conflicts_(
          stats.counter("register_bank_conflicts", "cycles", "operand reads delayed by another of the same bank")) {}

void RegisterFile::kernel_started(const isa::Kernel& kernel) {
  extra_cycles_.clear();
  for (const isa::MicroOp& op : kernel.ops) extra_cycles_.push_back(extra_read_cycles(op, banks_, kernel.registers));
}

tlm::tlm_sync_enum RegisterFile::accept(unsigned /*port*/, Instruction& instruction, tlm::tlm_phase& phase) {
  instruction.operand_cycles = extra_cycles_[instruction.pc];
  conflicts_ += instruction.operand_cycles;
  if (accesses_memory(*instruction.op)) return send_forward(memory_socket, instruction, phase);
  instruction.done_at += instruction.operand_cycles;
  return send_forward(simd_socket, instruction, phase);
}

tlm::tlm_sync_enum RegisterFile::answered(unsigned /*port*/, Instruction& instruction, tlm::tlm_phase& phase) {
  return send_backward(issue_socket, instruction, phase);
}

}  // namespace warpfold
