// SPDX-License-Identifier: Apache-2.0
#include "warpfold/isa/check/memory_checker.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

namespace warpfold::isa {
namespace {

bool fails_the_launch(FindingKind kind) {
  return kind == FindingKind::kOutOfBounds || kind == FindingKind::kUseAfterFree || kind == FindingKind::kMisaligned;
}

}  // namespace

MemoryChecker::MemoryChecker(const CheckParams& params, DeviceMemory& memory)
    : params_(params), written_(memory), races_(params.independent_threads, std::uint64_t{params.races_memory} << 20) {
  memory.keep_apart();
  if (params.initialized) memory.watch(this);
}

void MemoryChecker::launch_started() {
  known_.clear();
  error_.reset();
  written_.launch_started();
  races_.launch_started();
}

std::optional<KernelFault::Kind> MemoryChecker::launch_ended() {
  ++launches_;
  return error_;
}

void MemoryChecker::launch_failed(const std::string& why) {
  Finding fault;
  fault.kind = FindingKind::kFault;
  fault.act = why;
  fault.launch = launches_++;
  findings_.add(std::move(fault));
}

std::string MemoryChecker::json() const {
  nlohmann::ordered_json tools = nlohmann::ordered_json::array();
  if (params_.memory) tools.push_back("memory");
  if (params_.initialized) tools.push_back("initialized");
  if (params_.races) tools.push_back("races");
  const nlohmann::ordered_json json{{"tools", tools},
                                    {"errors", findings_.errors()},
                                    {"stray_reads", findings_.stray_reads()},
                                    {"findings", nlohmann::ordered_json::parse(findings_.json())}};
  return json.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

void MemoryChecker::found(FindingKind kind, const MicroOp& op, const Describe& describe) {
  const auto [entry, fresh] = known_.try_emplace({&op, kind}, 0);
  if (!fresh) return findings_.again(entry->second);
  Finding finding = describe();
  finding.kind = kind;
  finding.launch = launches_;
  entry->second = findings_.add(std::move(finding));
}

bool MemoryChecker::suppresses(FindingKind kind, const MicroOp& op, const Describe& describe) {
  const bool outside = kind == FindingKind::kOutOfBounds || kind == FindingKind::kUseAfterFree;
  if (outside && op.kind == Kind::kLoad && params_.stray_reads == StrayReads::kZero) {
    found(FindingKind::kStrayRead, op, describe);
    return true;
  }
  if (!params_.memory) return false;
  found(kind, op, describe);
  if (!error_ && fails_the_launch(kind)) {
    error_ = outside ? KernelFault::Kind::kIllegalAddress : KernelFault::Kind::kMisalignedAddress;
  }
  return true;
}

std::byte* MemoryChecker::stand_in(unsigned lane) {
  stand_ins_[lane].fill(std::byte{0});
  return stand_ins_[lane].data();
}

void MemoryChecker::touched(const Touch& touch, const MicroOp& op, const Describe& describe,
                            const DescribeRace& describe_race) {
  if (params_.initialized) {
    if (!written_.allows(touch)) found(FindingKind::kUninitialized, op, describe);
    written_.note(touch);
  }
  if (!params_.races || touch.space == Space::kLocal) return;
  races_.note(touch, [&](const Races::Earlier& earlier) {
    const FindingKind kind = earlier.harmless                ? FindingKind::kHarmlessRace
                             : touch.space == Space::kShared ? FindingKind::kSharedRace
                                                             : FindingKind::kGlobalRace;
    found(kind, op, [&] { return describe_race(earlier); });
  });
}

void MemoryChecker::block_finished(std::uint64_t block) {
  written_.block_finished(block);
  races_.block_finished(block);
}

}  // namespace warpfold::isa
