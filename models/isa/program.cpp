// SPDX-License-Identifier: Apache-2.0
// A loaded module: its symbols placed in device memory, its kernels decoded when first asked for.
#include "warpfold/isa/program.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <utility>

#include "warpfold/common/error.h"
#include "warpfold/isa/address_space.h"
#include "warpfold/isa/decode/calls/function_address.h"
#include "warpfold/isa/decode/decode.h"
#include "warpfold/isa/decode/layout.h"

namespace warpfold::isa {
namespace {

constexpr std::uint64_t kMostConstBytes = 65536;  // of a module (PTX ISA §5.1.3)

// The address that an initialiser names, or the byte of it that 0xFF00(symbol) picks out (PTX ISA §5.4.4).
std::uint64_t initial_bits(const ptx::Module& module, const ptx::InitialValue& value, const Symbols& symbols) {
  if (value.symbol.empty()) return value.bits;
  const auto found = symbols.find(value.symbol);
  const auto function = std::find_if(module.functions.begin(), module.functions.end(),
                                     [&](const ptx::Function& f) { return f.name == value.symbol; });
  if (found == symbols.end() && function == module.functions.end()) {
    user_error(
        "{}:{}: an initialiser holds the address of '{}', which is no function and no .global or .const "
        "variable of this module",
        module.file, value.where.line, value.symbol);
  }
  std::uint64_t address = static_cast<std::uint64_t>(value.offset);
  if (found == symbols.end()) {
    address += function_address(module, static_cast<std::size_t>(function - module.functions.begin()));
  } else {
    address += found->second.address;
    if (value.generic && found->second.space == SymbolSpace::kConst) address += kConstWindow;
  }
  return value.mask == 0 ? address : (address & value.mask) >> std::countr_zero(value.mask);
}

// Up to the last element that is given; the rest is zero anyway.
std::vector<std::byte> initial_bytes(const ptx::Module& module, const ptx::Variable& variable, const Symbols& symbols) {
  const std::uint64_t size = ptx::type_bytes(variable.type);
  const std::uint64_t elements = variable.initialiser.empty() ? 0 : variable.initialiser.back().element + 1;
  check(elements * size <= variable.bytes, "an initialiser lies in its variable");
  std::vector<std::byte> bytes(elements * size);
  for (const ptx::InitialValue& value : variable.initialiser) {
    const std::uint64_t bits = initial_bits(module, value, symbols);
    std::memcpy(bytes.data() + value.element * size, &bits, std::min<std::uint64_t>(size, sizeof bits));
  }
  return bytes;
}

// In the constant bank, behind what it holds.
std::uint64_t place_constant(const ptx::Module& module, const ptx::Variable& variable, std::vector<std::byte>& bank) {
  const std::uint64_t begin = align_up(bank.size(), variable.align);
  if (begin > kMostConstBytes || variable.bytes > kMostConstBytes - begin) {
    user_error("{}:{}: '{}' of {} bytes lies beyond the {} bytes of .const memory that a module can have", module.file,
               variable.where.line, variable.source_name, variable.bytes, kMostConstBytes);
  }
  bank.resize(begin + variable.bytes);
  return begin;
}

Address place_global(const ptx::Module& module, const ptx::Variable& variable, DeviceMemory& memory) {
  if (variable.align > DeviceMemory::kAllocationAlignment) {
    user_error("{}:{}: '{}' is to lie at a multiple of {} bytes, where global memory is dealt out in multiples of {}",
               module.file, variable.where.line, variable.source_name, variable.align,
               DeviceMemory::kAllocationAlignment);
  }
  const Address begin = memory.allocate(variable.bytes, variable.source_name);
  if (begin == 0) {
    user_error("{}:{}: no room for variable '{}' ({} bytes, {} free); enlarge the device memory", module.file,
               variable.where.line, variable.source_name, variable.bytes, memory.free_bytes());
  }
  return begin;
}

bool is_definition(const ptx::Variable& variable) {
  const bool placed = variable.space == ptx::Space::kGlobal || variable.space == ptx::Space::kConst;
  return placed && variable.linkage != ptx::Linkage::kExtern;
}

}  // namespace

Program::Program(ptx::Module module, DeviceMemory& memory, DecodeOptions options, const Placed& placed)
    : module_(std::move(module)), options_(options) {
  if (module_.narrow && options.address_bits != 32) {
    user_error(
        "{}: its addresses have 32 bits: take a machine whose have, such as tbc2011, or set core.address_bits "
        "= 32, and device_memory_bytes to no more than these reach",
        module_.file);
  }
  for (const ptx::Variable& variable : module_.variables) {
    if (!is_definition(variable)) continue;
    if (variable.space == ptx::Space::kConst) {
      const std::uint64_t begin = place_constant(module_, variable, const_bank_);
      symbols_[variable.name] = {SymbolSpace::kConst, begin, variable.bytes};
    } else {
      const auto there = placed.find(variable.name);
      const Address begin = there != placed.end() ? there->second : place_global(module_, variable, memory);
      symbols_[variable.name] = {SymbolSpace::kGlobal, begin, variable.bytes};
    }
  }
  for (const ptx::Variable& variable : module_.variables) {  // once all addresses are known
    if (!is_definition(variable) || !variable.has_initialiser) continue;
    const std::vector<std::byte> bytes = initial_bytes(module_, variable, symbols_);
    const Symbol& symbol = symbols_.at(variable.name);
    if (symbol.space == SymbolSpace::kConst) {
      std::copy(bytes.begin(), bytes.end(), const_bank_.begin() + static_cast<std::ptrdiff_t>(symbol.address));
    } else {
      check(memory.write(symbol.address, bytes.data(), bytes.size()), "a variable's memory can be written");
    }
  }
}

bool Program::has_kernel(std::string_view name) const {
  return std::any_of(module_.functions.begin(), module_.functions.end(), [&](const ptx::Function& function) {
    return function.is_entry && function.has_body && function.name == name;
  });
}

std::vector<std::string> Program::kernel_names() const {
  std::vector<std::string> names;
  for (const ptx::Function& function : module_.functions) {
    if (function.is_entry && function.has_body) names.push_back(function.name);
  }
  return names;
}

const Kernel& Program::kernel(std::string_view name, unsigned block_threads) {
  for (const ptx::Function& function : module_.functions) {
    if (!function.is_entry || !function.has_body || function.name != name) continue;
    const RegisterCap cap = register_cap(options_.registers, function, block_threads);
    std::vector<Decoded>& decoded = kernels_[function.name];
    for (const Decoded& have : decoded) {  // a cap that a kernel keeps to anyway changes nothing
      if (have.cap >= cap.registers && have.kernel->registers <= cap.registers) return *have.kernel;
    }
    decoded.push_back({cap.registers, std::make_unique<Kernel>(decode(module_, function, symbols_, options_, cap))});
    return *decoded.back().kernel;
  }
  user_error("{}: there is no kernel '{}'", module_.file, name);
}

void Program::decode_all() {
  for (const std::string& name : kernel_names()) kernel(name);
}

const Symbol* Program::symbol(std::string_view name) const {
  const auto found = symbols_.find(name);
  return found == symbols_.end() ? nullptr : &found->second;
}

}  // namespace warpfold::isa
