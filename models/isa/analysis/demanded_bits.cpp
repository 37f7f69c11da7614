// SPDX-License-Identifier: Apache-2.0
#include "warpfold/isa/analysis/demanded_bits.h"

#include <algorithm>
#include <array>

#include "warpfold/isa/decode/families/decode_family.h"

namespace warpfold::isa {
namespace {

bool is_integer(std::string_view type) {
  const auto [kind, bits] = type_of(type);
  return bits != 0 && kind != 'f' && kind != 'p';
}

template <std::size_t N>
bool contains(const std::array<std::string_view, N>& names, std::string_view name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

bool is_wide(unsigned k, std::uint8_t wide) { return (wide >> k & 1) != 0; }

class DemandedBits {
 public:
  explicit DemandedBits(const DraftKernel& kernel) : kernel_(kernel), demanded_(kernel.registers.size(), false) {}

  std::vector<bool> low_only() {
    while (changed_) {
      changed_ = false;
      for (auto draft = kernel_.ops.rbegin(); draft != kernel_.ops.rend(); ++draft) demand_sources(*draft);
    }
    std::vector<bool> result(demanded_.size());
    for (std::size_t r = 0; r < result.size(); ++r) result[r] = kernel_.registers[r].words == 2 && !demanded_[r];
    return result;
  }

 private:
  // The base of a memory access is not among the sources.
  void demand_sources(const Draft& draft) {
    if (draft.keeps_low_words && !is_result_demanded(draft)) return;
    for (unsigned k = 0; k < draft.s.size(); ++k) {
      const Ref& ref = draft.s[k];
      if (ref.kind != Ref::Kind::kRegister || !is_wide(k, draft.op.s_wide) || demanded_[ref.index]) continue;
      demanded_[ref.index] = changed_ = true;
    }
  }

  bool is_result_demanded(const Draft& draft) const {
    return std::any_of(draft.d.begin(), draft.d.end(),
                       [&](const Ref& ref) { return ref.kind == Ref::Kind::kRegister && demanded_[ref.index]; });
  }

  const DraftKernel& kernel_;
  std::vector<bool> demanded_;  // by virtual register: its high word
  bool changed_ = true;
};

}  // namespace

bool keeps_low_words(std::string_view name, std::span<const std::string> modifiers) {
  constexpr std::array<std::string_view, 9> kBitwise{"mov", "selp", "cvta", "and", "or", "xor", "not", "shl", "pack"};
  constexpr std::array<std::string_view, 3> kSums{"add", "sub", "neg"};
  constexpr std::array<std::string_view, 2> kProducts{"mul", "mad"}, kParts{"lo", "wide"};
  if (modifiers.empty()) return false;
  if (contains(kBitwise, name)) return true;
  if (contains(kSums, name)) return modifiers.size() == 1 && is_integer(modifiers[0]);
  if (contains(kProducts, name)) return contains(kParts, modifiers[0]);
  return name == "cvt" && modifiers.size() == 2 && is_integer(modifiers[0]) && is_integer(modifiers[1]);
}

std::vector<bool> find_low_only(const DraftKernel& kernel) { return DemandedBits(kernel).low_only(); }

}  // namespace warpfold::isa
