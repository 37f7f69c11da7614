// SPDX-License-Identifier: Apache-2.0
#include "tests/gpu/contract/contract_device.h"

#include <algorithm>
#include <map>
#include <utility>
#include <vector>

#include "tests/gpu/contract/scalar_reference.h"
#include "warpfold/common/error.h"

namespace warpfold {
namespace {

using Contents = std::map<Address, std::vector<std::byte>>;  // by allocation

Contents contents_of(const DeviceMemory& memory) {
  Contents contents;
  for (const auto& [begin, allocation] : memory.allocations()) {
    const std::byte* const bytes = memory.host(begin);
    contents.emplace(begin, std::vector<std::byte>(bytes, bytes + allocation.bytes));
  }
  return contents;
}

void restore(DeviceMemory& memory, const Contents& contents) {
  for (const auto& [begin, bytes] : contents) std::copy(bytes.begin(), bytes.end(), memory.host(begin));
}

}  // namespace

ContractDevice::ContractDevice(RunOptions options)
    : mechanism_(options.mechanism), simulator_(std::move(options), {.trace = &recorder_}) {}

void ContractDevice::launch(const isa::Launch& launch) {
  const std::string place = fmt::format("launch {}, kernel '{}', under {}", launches_, launch.kernel->name, mechanism_);
  const Contents before = contents_of(memory());
  const ThreadSequences expected = run_scalar(launch, memory());
  const Contents after = contents_of(memory());
  restore(memory(), before);

  recorder_.launch_started(launch);
  simulator_.launch(launch);
  const ThreadSequences sequences = recorder_.take();
  if (const auto difference = sequences.difference_from(expected, *launch.kernel))
    user_error("{}: {}", place, *difference);
  for (const auto& [begin, bytes] : after) {
    const auto [wrong, right] = std::mismatch(memory().host(begin), memory().host(begin) + bytes.size(), bytes.begin());
    if (right == bytes.end()) continue;
    user_error("{}: byte {} of {} is {:#04x}, of the reference {:#04x}", place, right - bytes.begin(),
               memory().find(begin)->name, static_cast<unsigned>(*wrong), static_cast<unsigned>(*right));
  }
  const std::uint64_t least = recorder_.least_issues(sequences);
  if (recorder_.issues() < least) {
    user_error("{}: {} warp instructions were issued, fewer than the {} that the oracle needs", place,
               recorder_.issues(), least);
  }
  ++launches_;
  instructions_ += sequences.instructions();
}

}  // namespace warpfold
