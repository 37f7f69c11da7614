// SPDX-License-Identifier: Apache-2.0
// What a pointer to a device function holds.
#include "warpfold/isa/decode/calls/function_address.h"

#include "warpfold/isa/address_space.h"

namespace warpfold::isa {
namespace {

constexpr Address kDistance = 128;  // from one function to the next
constexpr Address kPlaces = (kConstBacking - kCodeBacking) / kDistance;

// FNV-1a.
std::uint64_t hash(const std::string& text) {
  std::uint64_t value = 0xcbf2'9ce4'8422'2325;
  for (const char c : text) value = (value ^ static_cast<unsigned char>(c)) * 0x100'0000'01b3;
  return value;
}

}  // namespace

Address function_address(const ptx::Module& module, std::size_t function) {
  return kCodeBacking + (hash(module.file) + function) % kPlaces * kDistance;
}

}  // namespace warpfold::isa
