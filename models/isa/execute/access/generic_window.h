// SPDX-License-Identifier: Apache-2.0
// Where a generic address lies, and where that space's window begins.
#pragma once

#include "warpfold/isa/address_space.h"
#include "warpfold/isa/kernel.h"

namespace warpfold::isa {

struct Window {
  Space space;
  Address begin;
};
constexpr Window window_of(Address address) {
  if (address - kSharedWindow < kWindowBytes) return {Space::kShared, kSharedWindow};
  if (address - kLocalWindow < kWindowBytes) return {Space::kLocal, kLocalWindow};
  if (address - kConstWindow < kWindowBytes) return {Space::kConst, kConstWindow};
  if (address - kParamWindow < kSharedWindow - kParamWindow) return {Space::kParam, kParamWindow};
  return {Space::kGlobal, 0};
}
// No instruction writes there.
constexpr bool is_read_only(Space space) { return space == Space::kConst || space == Space::kParam; }
// Of an address of an instruction that names `space`.
constexpr Window window_of(Space space, Address address) {
  return space == Space::kGeneric ? window_of(address) : Window{space, 0};
}

}  // namespace warpfold::isa
