// SPDX-License-Identifier: Apache-2.0
// Looks an opcode up; only decoding does, so a string key is good enough.
#include "warpfold/isa/execute/op_table.h"

#include <algorithm>
#include <bit>
#include <cstdint>

#include "warpfold/isa/execute/op_registry.h"

namespace warpfold::isa {
namespace {

OpRegistry build() {
  OpRegistry ops;
  add_integer_ops(ops);
  add_bit_ops(ops);
  add_compare_ops(ops);
  add_move_ops(ops);
  add_integer_conversions(ops);
  add_float_conversions(ops);
  add_float_ops(ops);
  add_float_division_ops(ops);
  add_approximate_ops(ops);
  add_half_ops(ops);
  add_narrow_float_ops(ops);
  add_narrow_compare_ops(ops);
  add_carry_ops(ops);
  add_packed_ops(ops);
  return ops;
}

const OpRegistry& registry() {
  static const OpRegistry ops = build();
  return ops;
}

}  // namespace

std::optional<OpInfo> find_op(std::string_view name, std::span<const std::string> modifiers) {
  std::string opcode(name);
  for (const std::string& modifier : modifiers) opcode.append(".").append(modifier);
  const OpInfo* const info = registry().find(opcode);
  return info == nullptr ? std::nullopt : std::optional<OpInfo>(*info);
}

namespace {

// By the address of the other, at the first free place from where that says on. A run asks for some hundred of them.
class RowComputes {
 public:
  RowComputes() : places_(std::bit_ceil(2 * registry().ops().size())) {
    for (const auto& entry : registry().ops()) {
      if (entry.second.row_compute != nullptr)
        places_[place_of(entry.second.compute)] = {entry.second.compute, entry.second.row_compute};
    }
  }
  RowCompute of(Compute compute) const { return places_[place_of(compute)].row_compute; }

 private:
  struct Place {
    Compute compute = nullptr;
    RowCompute row_compute = nullptr;
  };
  std::size_t place_of(Compute compute) const {
    constexpr std::uint64_t kSpread = 0x9e37'79b9'7f4a'7c15;
    const std::size_t last = places_.size() - 1;
    std::size_t place = reinterpret_cast<std::uintptr_t>(compute) * kSpread >> 32 & last;
    while (places_[place].compute != nullptr && places_[place].compute != compute) place = (place + 1) & last;
    return place;
  }
  std::vector<Place> places_;
};

}  // namespace

RowCompute row_compute_of(Compute compute) {
  static const RowComputes known;
  return known.of(compute);
}

std::vector<std::string> op_names() {
  std::vector<std::string> names;
  for (const auto& entry : registry().ops()) names.push_back(entry.first);
  std::sort(names.begin(), names.end());
  return names;
}

}  // namespace warpfold::isa
