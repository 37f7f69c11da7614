// SPDX-License-Identifier: Apache-2.0
#include "warpfold/core/operands/register_file.h"

#include <algorithm>
#include <bit>

#include "warpfold/core/operands/execution_units.h"

namespace warpfold {

using isa::LaneMask;

RegisterFile::RegisterFile(sc_core::sc_module_name name, const CoreParams& params, ClockDomain& core_clock,
                           unsigned index, StatGroup& stats)
    : sc_module(name),
      clock_(core_clock),
      schedulers_(params.schedulers),
      one_file_(params.register_file.per == RegisterFilePer::kCore || params.schedulers == 1),
      unit_free_at_(schedulers_ * ExecutionUnits::kGroups, 0),
      unit_was_free_at_(unit_free_at_.size(), 0),
      conflicts_(
          stats.counter("register_bank_conflicts", "cycles", "operand reads delayed by another of the same bank")),
      reads_(stats.counter("register_reads", "words", "that threads read from register banks")),
      writes_(stats.counter("register_writes", "words", "that threads write to register banks")),
      collector_waits_(
          stats.counter("register_collector_waits", "cycles",
                        "in which a scheduler had no operand collector free, behind the issue that took the last")),
      result_waits_(
          stats.counter("register_result_waits", "cycles", "results delayed by their banks' other accesses")) {
  const RegisterFileParams& file = params.register_file;
  files_ = std::vector<RegisterBanks>(one_file_ ? 1 : schedulers_, RegisterBanks(params));
  observers_.resize(files_.size(), nullptr);
  if (file.write_port == WritePort::kShared) {
    result_socket =
        std::make_unique<TargetPort<RegisterFile, InstructionProtocol>>("result_socket", *this, &RegisterFile::write);
  }
  if (file.collectors == 0) return;
  collectors_.resize(schedulers_, {std::vector<Cycle>(file.collectors, 0)});
  core_clock.add(*this, index);  // a module that never ticks would still be looked at
}

void RegisterFile::kernel_started(const isa::Kernel& kernel) {
  check(results_.in_use() == 0, "a kernel starts when the last one's results are written");
  for (RegisterBanks& file : files_) file.kernel_started();
  registers_.clear();
  registers_.reserve(kernel.ops.size());
  for (const isa::MicroOp& op : kernel.ops) {
    registers_.push_back({files_[0].words_of(op.reads, kernel.registers),
                          files_[0].words_of(op.writes, kernel.registers), accesses_memory(op)});
  }
}

tlm::tlm_sync_enum RegisterFile::accept(unsigned /*port*/, Instruction& instruction, tlm::tlm_phase& phase) {
  const Registers& registers = registers_[instruction.pc];
  const Cycle now = clock_.current(), from = instruction.issued_at + (result_socket != nullptr ? 1 : 0);
  const Cycle last = reserve(instruction, registers.read, *instruction.threads, instruction.active, now, from);
  instruction.operand_cycles = static_cast<unsigned>(last - from);
  if (last != from) conflicts_ += last - from;
  reads_ += registers.read.words.size() * static_cast<unsigned>(std::popcount(instruction.active));
  writes_ += registers.written.words.size() * static_cast<unsigned>(std::popcount(instruction.executed));
  if (result_socket != nullptr) keep_result(instruction, registers.written);
  Cycle leaves = instruction.issued_at + instruction.operand_cycles;
  if (!registers.memory) leaves = go_to_unit(instruction, leaves);
  if (!collectors_.empty()) take_collector(instruction, now, leaves + 1);
  if (registers.memory) return send_forward(memory_socket, instruction, phase);
  return send_forward(simd_socket, instruction, phase);
}

[[gnu::always_inline]] inline Cycle RegisterFile::reserve(const Instruction& instruction,
                                                          const RegisterBanks::Words& words,
                                                          const divergence::Warp& threads, LaneMask lanes, Cycle now,
                                                          Cycle from) {
  const unsigned file = one_file_ ? 0 : scheduler_of(instruction);
  const Cycle last = files_[file].reserve(words, threads, lanes, now, from);
  if (observers_[file] != nullptr) observers_[file]->accessed(words, threads, lanes, from, last);
  return last;
}

[[gnu::always_inline]] inline Cycle RegisterFile::go_to_unit(Instruction& instruction, Cycle ready) {
  Cycle &free_at = unit_free_at_[instruction.unit], &was_free_at = unit_was_free_at_[instruction.unit];
  if (!instruction.beside) was_free_at = free_at;
  const Cycle enters = std::max(ready, was_free_at);
  const Cycle until = enters + instruction.hold_cycles;
  free_at = instruction.beside ? std::max(free_at, until) : until;
  instruction.done_at += enters - instruction.issued_at;
  return enters;
}

Cycle RegisterFile::Collectors::first_free() const { return *std::min_element(free_at.begin(), free_at.end()); }

void RegisterFile::take_collector(Instruction& instruction, Cycle now, Cycle until) {
  Collectors& collectors = collectors_[scheduler_of(instruction)];
  Cycle& free_at = *std::min_element(collectors.free_at.begin(), collectors.free_at.end());
  check(free_at <= now, "an instruction issues when its scheduler has an operand collector free");
  free_at = until;
  if (collectors.first_free() <= now) return;
  collectors.all_taken = instruction.takes_last_collector = true;
  collectors.taken_since = now;
  wake(collectors.first_free());
}

Cycle RegisterFile::tick(Cycle now) {
  Cycle next = kNever;
  for (unsigned scheduler = 0; scheduler < schedulers_; ++scheduler) {
    Collectors& collectors = collectors_[scheduler];
    if (!collectors.all_taken) continue;
    if (const Cycle free = collectors.first_free(); free > now) {
      next = std::min(next, free);
      continue;
    }
    collectors.all_taken = false;
    collector_waits_ += now - collectors.taken_since - 1;  // behind the cycle of the issue
    Instruction nobody;
    nobody.warp = scheduler;
    nobody.takes_last_collector = true;
    tlm::tlm_phase phase = tlm::END_REQ;
    send_backward(issue_socket, nobody, phase);
  }
  return next;
}

tlm::tlm_sync_enum RegisterFile::answered(unsigned /*port*/, Instruction& instruction, tlm::tlm_phase& phase) {
  return send_backward(issue_socket, instruction, phase);
}

// The warp may be another one when the result is there.
void RegisterFile::keep_result(Instruction& instruction, const RegisterBanks::Words& words) {
  if (words.words.empty() || instruction.executed == 0) return;
  instruction.result = results_.take();
  results_[instruction.result] = {words, *instruction.threads, instruction.executed};
}

tlm::tlm_sync_enum RegisterFile::write(unsigned /*port*/, Instruction& instruction, tlm::tlm_phase& /*phase*/) {
  if (instruction.result == Instruction::kNoResult) return tlm::TLM_COMPLETED;
  Result& result = results_[instruction.result];
  const Cycle now = clock_.current();
  const LaneMask lanes = instruction.partly ? result.lanes & instruction.executed : result.lanes;
  if (lanes != 0) {
    instruction.done_at = reserve(instruction, result.words, result.threads, lanes, now, now);
    result_waits_ += instruction.done_at - now;
  }
  instruction.done_at = std::max(instruction.done_at, result.part_at);
  if (instruction.partly) {
    result.lanes &= ~lanes;
    result.part_at = instruction.done_at;
  } else {
    results_.give_back(instruction.result);
  }
  instruction.result = Instruction::kNoResult;
  return tlm::TLM_COMPLETED;
}

}  // namespace warpfold
