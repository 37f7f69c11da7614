// SPDX-License-Identifier: Apache-2.0
// Looks for mistakes of kernels with memory while they run: what Launch::checker points to, if anything is looked for.
// Executors tell it of every access, and ask it what is to become of those that lie nowhere.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <utility>

#include "warpfold/common/launch_error.h"
#include "warpfold/common/memory/device_memory.h"
#include "warpfold/isa/check/check_params.h"
#include "warpfold/isa/check/findings.h"
#include "warpfold/isa/check/races.h"
#include "warpfold/isa/check/written_bytes.h"

namespace warpfold::isa {

class MemoryChecker final : public MemoryWatch {
 public:
  // Before anything is allocated in `memory`.
  MemoryChecker(const CheckParams& params, DeviceMemory& memory);

  // Around each launch. The error that the program gets for what the kernel did with memory, if anything.
  void launch_started();
  std::optional<KernelFault::Kind> launch_ended();
  // A fault has ended the kernel.
  void launch_failed(const std::string& why);
  const Findings& findings() const { return findings_; }
  std::string news() { return findings_.news(); }
  std::string json() const;  // for run.json: what was looked for and what was found

  // --- Of executors ---
  // Who knows what to say of an access; asked once for each that is alike.
  using Describe = std::function<Finding()>;
  // An access that lies nowhere or is misaligned. False: it faults.
  bool suppresses(FindingKind kind, const MicroOp& op, const Describe& describe);
  // Zeros that such an access has instead, to read and to write.
  std::byte* stand_in(unsigned lane);

  bool looks_at_races() const { return params_.races; }
  void next_instruction() { races_.next_instruction(); }
  bool looks_at_values() const { return params_.initialized || params_.races; }
  using DescribeRace = std::function<Finding(const Races::Earlier&)>;
  void touched(const Touch& touch, const MicroOp& op, const Describe& describe, const DescribeRace& describe_race);

  Races& races() { return races_; }
  void block_finished(std::uint64_t block);

  // --- MemoryWatch ---
  void allocated(const Allocation& allocation) override { written_.allocated(allocation); }
  void written(Address at, std::uint64_t bytes) override { written_.written(at, bytes); }
  void copied(Address to, Address from, std::uint64_t bytes) override { written_.copied(to, from, bytes); }

 private:
  static constexpr std::size_t kWidest = 64;  // bytes that a lane accesses, at least
  void found(FindingKind kind, const MicroOp& op, const Describe& describe);

  const CheckParams params_;
  WrittenBytes written_;
  Races races_;
  Findings findings_;
  std::map<std::pair<const MicroOp*, FindingKind>, std::size_t> known_;  // of this launch: their numbers
  std::uint64_t launches_ = 0;
  std::optional<KernelFault::Kind> error_;  // of this launch
  std::array<std::array<std::byte, kWidest>, kMaxLanes> stand_ins_{};
};

}  // namespace warpfold::isa
