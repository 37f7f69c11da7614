// SPDX-License-Identifier: Apache-2.0
// Calls of what the device provides instead of code (CUDA's device-side system calls): one instruction each.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "warpfold/isa/services/system_services.h"
#include "warpfold/ptx/ast.h"

namespace warpfold::isa {

struct SystemCallForm {
  std::string_view name;
  SystemCall call;
  unsigned return_bytes;  // 0: returns nothing
  unsigned parameters;
  std::array<std::uint8_t, 5> bytes;  // of each parameter
};

// A call instruction, taken apart.
struct SystemCallParts {
  const SystemCallForm* form = nullptr;
  std::span<const ptx::Operand> returns, parameters;
};

// Does it call one of these functions, and has the module no body of that name?
bool is_system_call(const ptx::Module& module, const ptx::Instruction& instruction);
// Nothing for any other instruction. By name alone: calls of bodies have been replaced (inline_calls.h).
std::optional<SystemCallParts> system_call_of(const ptx::Instruction& instruction);

}  // namespace warpfold::isa
