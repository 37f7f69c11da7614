// SPDX-License-Identifier: Apache-2.0
// Loads, stores and atomics (PTX ISA §9.7.8, §9.7.12).
#include <algorithm>
#include <array>
#include <optional>
#include <string_view>
#include <utility>

#include "warpfold/isa/analysis/demanded_bits.h"
#include "warpfold/isa/decode/compounds/compound.h"
#include "warpfold/isa/decode/families/decode_family.h"

namespace warpfold::isa {
namespace {

// Orderings change no value: these are computed at issue, in one order for all threads. Scopes beyond the block say
// that an L1 may not answer (cache_use()).
constexpr std::array<std::string_view, 12> kNoEffect{"weak", "volatile", "relaxed", "acquire", "release", "acq_rel",
                                                     "cta",  "cluster",  "gpu",     "sys",     "mmio",    "noftz"};
constexpr std::string_view kCacheHint = "L2::cache_hint";  // has an operand more, the policy

// What modifiers say to the caches. All memory is the device's here: .wt, which writes the host's through the L2, and
// .cv, which reads the host's again, have nothing more to do.
struct CacheWord {
  std::string_view name;
  void (*say)(CacheUse&);
};
constexpr std::array<CacheWord, 19> kCacheWords{
    {{"ca", [](CacheUse&) {}},
     {"wb", [](CacheUse&) {}},
     {"wt", [](CacheUse&) {}},
     {"cg", [](CacheUse& use) { use.past_l1 = true; }},
     {"cv", [](CacheUse& use) { use.past_l1 = true; }},
     {"cs", [](CacheUse& use) { use.l1 = use.l2 = Eviction::kFirst; }},
     {"lu",
      [](CacheUse& use) {
        use.l1 = use.l2 = Eviction::kFirst;
        use.last_use = true;
      }},
     {"L1::evict_normal", [](CacheUse&) {}},
     {"L1::evict_unchanged", [](CacheUse& use) { use.l1 = Eviction::kUnchanged; }},
     {"L1::evict_first", [](CacheUse& use) { use.l1 = Eviction::kFirst; }},
     {"L1::evict_last", [](CacheUse& use) { use.l1 = Eviction::kLast; }},
     {"L1::no_allocate", [](CacheUse& use) { use.takes_no_line = true; }},
     {"L2::evict_normal", [](CacheUse&) {}},
     {"L2::evict_unchanged", [](CacheUse& use) { use.l2 = Eviction::kUnchanged; }},
     {"L2::evict_first", [](CacheUse& use) { use.l2 = Eviction::kFirst; }},
     {"L2::evict_last", [](CacheUse& use) { use.l2 = Eviction::kLast; }},
     {"L2::64B", [](CacheUse& use) { use.l2_bytes = 64; }},
     {"L2::128B", [](CacheUse& use) { use.l2_bytes = 128; }},
     {"L2::256B", [](CacheUse& use) { use.l2_bytes = 128; }}}};

constexpr std::array<std::pair<std::string_view, Space>, 9> kSpaces{
    {{"global", Space::kGlobal},
     {"shared", Space::kShared},
     {"shared::cta", Space::kShared},
     {"shared::cluster", Space::kShared},  // of one block
     {"local", Space::kLocal},
     {"const", Space::kConst},
     {"param", Space::kParam},
     {"param::entry", Space::kParam},
     {"param::func", Space::kParam}}};

constexpr std::array<std::pair<std::string_view, Atomic>, 12> kAtomics{
    {{"add", Atomic::kAdd},
     {"min", Atomic::kMin},
     {"max", Atomic::kMax},
     {"inc", Atomic::kInc},
     {"dec", Atomic::kDec},
     {"and", Atomic::kAnd},
     {"or", Atomic::kOr},
     {"xor", Atomic::kXor},
     {"exch", Atomic::kExch},
     {"cas", Atomic::kCas},
     // compound.h writes these
     {"mbarrier::arrive", Atomic::kArrive},
     {"mbarrier::arrive_drop", Atomic::kArriveAndDrop}}};

// Numbers of 16 bits, alone and in pairs, as MicroOp::element_type has them.
constexpr std::array<std::pair<std::string_view, OpInfo::Operand>, 4> kNarrowFloats{
    {{"f16", {'h', 16}}, {"bf16", {'g', 16}}, {"f16x2", {'H', 32}}, {"bf16x2", {'G', 32}}}};

template <class Table>
bool contains(const Table& table, std::string_view name) {
  return std::find(table.begin(), table.end(), name) != table.end();
}

template <class Table>
auto lookup(const Table& table, std::string_view name) {
  const auto found = std::find_if(table.begin(), table.end(), [&](const auto& row) { return row.first == name; });
  return found == table.end() ? std::nullopt : std::optional(found->second);
}

// What the modifiers of a memory instruction say.
struct Access {
  Space space = Space::kGeneric;
  unsigned elements = 1;
  OpInfo::Operand type{'b', 0};
  std::optional<Atomic> atomic;
  bool read_only = false;  // .nc
  bool on_stack = false;
  bool of_vector = false;  // an element of one
  bool hinted = false;     // the last operand is a cache policy
  CacheUse cache;
};

bool tell_caches(std::string_view word, CacheUse& use) {
  const auto found =
      std::find_if(kCacheWords.begin(), kCacheWords.end(), [&](const CacheWord& row) { return row.name == word; });
  if (found == kCacheWords.end()) return false;
  found->say(use);
  return true;
}

// Must it see what threads of other blocks have written? No L1 knows of that.
bool sees_other_blocks(const ptx::Instruction& instruction) {
  const auto says = [&](std::string_view word) { return contains(instruction.modifiers, word); };
  return says("volatile") || says("mmio") ||
         ((says("relaxed") || says("acquire")) && (says("gpu") || says("sys") || says("cluster")));
}

Access read_modifiers(OperandDecoder& operands, const ptx::Instruction& instruction) {
  Access access;
  bool unified = false;
  for (const std::string& modifier : instruction.modifiers) {
    if (const auto space = lookup(kSpaces, modifier)) {
      access.space = *space;
    } else if (const auto atomic = lookup(kAtomics, modifier)) {
      access.atomic = atomic;
    } else if (modifier == "v2" || modifier == "v4") {
      access.elements = modifier == "v2" ? 2 : 4;
    } else if (modifier == kOnStack) {
      access.on_stack = true;
    } else if (modifier == "unified" && instruction.name != "st" && instruction.name != "red") {
      unified = true;  // how to execute it best, which changes nothing
    } else if (modifier == kOfVector) {
      access.of_vector = true;
    } else if (modifier == "nc") {
      access.read_only = true;
    } else if (const auto narrow = lookup(kNarrowFloats, modifier)) {
      access.type = *narrow;
    } else if (const OpInfo::Operand type = type_of(modifier); type.bits >= 8) {
      access.type = type;
    } else if (modifier == "b128" && instruction.name == "atom") {
      access.type = {'b', 128};  // of loads and stores, compound.h leaves none
    } else if (modifier == kCacheHint) {
      access.hinted = true;
    } else if (!tell_caches(modifier, access.cache) && !contains(kNoEffect, modifier)) {
      operands.unsupported();
    }
  }
  access.cache.past_l1 |= sees_other_blocks(instruction);
  if (access.type.bits == 0) operands.unsupported("a type is missing");
  if (unified && access.space != Space::kGlobal && access.space != Space::kGeneric) operands.unsupported();
  return access;
}

// A parameter of an inlined call: `opcode` moves it between registers.
void make_move(OperandDecoder& operands, std::string_view opcode, const std::vector<std::string>& types, Draft& draft) {
  const auto info = find_op(opcode, types);
  if (!info) operands.unsupported();
  draft.op.kind = Kind::kCompute;
  draft.op.unit = info->unit;
  draft.op.compute = info->compute;
  draft.keeps_low_words = keeps_low_words(opcode, types);
  draft.op.d_count = draft.op.s_count = 1;
}

void load_parameter(OperandDecoder& operands, const Access& access, const ptx::Operand& to, Ref from, Draft& draft) {
  const bool wide = access.type.bits == 64;
  const Ref result = operands.destination(to, access.type, Width::kMayBeWider);
  const bool extended = operands.is_wide(result) && !wide;
  if (wide && !operands.is_wide(result)) operands.unsupported("a 32-bit register for a 64-bit parameter");
  if (access.type.bits >= 32 && !extended) {
    make_move(operands, "mov", {wide ? "b64" : "b32"}, draft);
  } else {
    const std::string sign = access.type.kind == 's' ? "s" : "u";
    make_move(operands, "cvt", {sign + (extended ? "64" : "32"), sign + std::to_string(access.type.bits)}, draft);
  }
  set_destination(draft, 0, result, wide || extended);
  set_source(draft, 0, from, wide);
}

void check_atomic(OperandDecoder& operands, const Access& access) {
  const auto [kind, bits] = access.type;
  const bool narrow = kind == 'h' || kind == 'g' || kind == 'H' || kind == 'G';
  bool good = bits == 32 || bits == 64;
  switch (*access.atomic) {
    case Atomic::kAdd:
      good = kind != 'b' && bits >= (kind == 'h' || kind == 'g' ? 16 : 32);
      break;
    case Atomic::kMin:
    case Atomic::kMax:
      good = access.of_vector ? narrow : good && (kind == 'u' || kind == 's');
      break;
    case Atomic::kInc:
    case Atomic::kDec:
      good &= kind == 'u' && bits == 32;
      break;
    case Atomic::kCas:
      good = kind == 'b' && bits >= 16;
      break;
    case Atomic::kExch:
      good = kind == 'b' && bits >= 32;
      break;
    case Atomic::kArrive:
    case Atomic::kArriveAndDrop:
      good = kind == 'b' && bits == 64;
      break;
    default:
      good &= kind == 'b';
      break;
  }
  const bool place =
      access.space == Space::kGlobal || access.space == Space::kShared || access.space == Space::kGeneric;
  if (!good || !place || access.elements != 1) operands.unsupported();
}

}  // namespace

void decode_load(OperandDecoder& operands, const CallParameters& calls, const ptx::Instruction& instruction,
                 Draft& draft) {
  Access access = read_modifiers(operands, instruction);
  expect_operands(operands, instruction, access.hinted ? 3 : 2);
  if (access.atomic) operands.unsupported();
  if (const Ref parameter = calls.find(instruction.operands[1]); parameter.kind != Ref::Kind::kNone) {
    return load_parameter(operands, access, instruction.operands[0], parameter, draft);
  }
  if (access.read_only && access.space == Space::kGlobal) access.space = Space::kTexture;
  draft.op.kind = Kind::kLoad;
  draft.op.cache = access.cache;
  draft.op.unit = Unit::kMemory;
  draft.op.element_bytes = static_cast<std::uint8_t>(access.type.bits / 8);
  draft.op.sign_extend = access.type.kind == 's';
  operands.address(instruction.operands[1], access.space, draft);
  draft.varying = draft.op.space != Space::kParam && draft.op.space != Space::kConst;

  const std::vector<ptx::Operand> results = operands.elements(instruction.operands[0]);
  if (results.size() != access.elements) operands.unsupported("with this number of elements");
  draft.op.d_count = static_cast<std::uint8_t>(results.size());
  for (unsigned k = 0; k < results.size(); ++k) {
    const Ref result = operands.destination(results[k], access.type, Width::kMayBeWider);
    set_destination(draft, k, result, operands.is_wide(result));
  }
}

void decode_store(OperandDecoder& operands, const CallParameters& calls, const ptx::Instruction& instruction,
                  Draft& draft) {
  const Access access = read_modifiers(operands, instruction);
  expect_operands(operands, instruction, access.hinted ? 3 : 2);
  if (access.atomic || access.read_only || access.space == Space::kConst) operands.unsupported();
  const bool wide = access.type.bits == 64;
  if (const Ref parameter = calls.find(instruction.operands[0]); parameter.kind != Ref::Kind::kNone) {
    make_move(operands, "mov", {wide ? "b64" : "b32"}, draft);
    set_destination(draft, 0, parameter, wide);
    const Ref from = calls.find(instruction.operands[1]);  // recursion.h copies one to the other
    const bool copies = from.kind != Ref::Kind::kNone;
    set_source(draft, 0, copies ? from : operands.source(instruction.operands[1], access.type, Width::kMayBeWider),
               wide);
    return;
  }
  draft.op.kind = Kind::kStore;
  draft.op.pushes_frame = access.on_stack;
  draft.op.unit = Unit::kMemory;
  draft.op.cache = access.cache;
  draft.op.element_bytes = static_cast<std::uint8_t>(access.type.bits / 8);
  operands.address(instruction.operands[0], access.space, draft);
  if (draft.op.space == Space::kParam || draft.op.space == Space::kConst) operands.unsupported("a read-only space");

  const std::vector<ptx::Operand> values = operands.elements(instruction.operands[1]);
  if (values.size() != access.elements) operands.unsupported("with this number of elements");
  draft.op.s_count = static_cast<std::uint8_t>(values.size());
  for (unsigned k = 0; k < values.size(); ++k) {
    if (values[k].kind == ptx::OperandKind::kSink) continue;
    set_source(draft, k, operands.source(values[k], access.type, Width::kMayBeWider), wide);
  }
}

// prefetch{.space}.level{.eviction} [a] and prefetchu.L1 [a]: a load of one byte that nobody waits for, and that faults
// nowhere.
void decode_prefetch(OperandDecoder& operands, const ptx::Instruction& instruction, Draft& draft) {
  expect_operands(operands, instruction, 1);
  Space space = Space::kGeneric;
  draft.op.cache.prefetch = true;
  for (const std::string& modifier : instruction.modifiers) {
    if (const auto named = lookup(kSpaces, modifier)) {
      space = *named;
    } else if (modifier != "L1") {
      draft.op.cache.past_l1 = true;
      if (modifier != "L2" && !tell_caches(modifier, draft.op.cache)) operands.unsupported();
    }
  }
  if (space != Space::kGlobal && space != Space::kLocal && space != Space::kGeneric) operands.unsupported();
  draft.op.kind = Kind::kLoad;
  draft.op.unit = Unit::kMemory;
  draft.op.element_bytes = 1;
  operands.address(instruction.operands[0], space, draft);
}

void decode_atomic(OperandDecoder& operands, const ptx::Instruction& instruction, Draft& draft) {
  const Access access = read_modifiers(operands, instruction);
  if (!access.atomic || access.read_only) operands.unsupported();
  check_atomic(operands, access);
  const bool has_result = instruction.name == "atom", is_cas = *access.atomic == Atomic::kCas;
  if (is_cas && !has_result) operands.unsupported();
  const unsigned values = is_cas ? 2 : 1, first = has_result ? 1 : 0;
  expect_operands(operands, instruction, first + 1 + values + (access.hinted ? 1 : 0));

  draft.op.kind = Kind::kAtomic;
  draft.op.unit = Unit::kMemory;
  draft.op.cache = access.cache;
  draft.op.atomic = *access.atomic;
  draft.op.element_bytes = static_cast<std::uint8_t>(access.type.bits / 8);
  draft.op.element_type = static_cast<std::uint8_t>(access.type.kind);
  draft.varying = true;
  operands.address(instruction.operands[first], access.space, draft);
  // Of 128 bits: two halves (compound.h).
  const OpInfo::Operand type{access.type.kind, std::min<std::uint8_t>(access.type.bits, 64)};
  const bool wide = type.bits == 64;
  const auto parts = [&](const ptx::Operand& operand) {
    std::vector<ptx::Operand> elements = operands.elements(operand);
    if (elements.size() != access.type.bits / type.bits) operands.unsupported("with operands of another size");
    return elements;
  };
  if (has_result && instruction.operands[0].kind != ptx::OperandKind::kSink) {
    for (const ptx::Operand& part : parts(instruction.operands[0])) {
      set_destination(draft, draft.op.d_count++, operands.destination(part, type), wide);
    }
  } else if (has_result) {
    draft.op.d_count = 1;
  }
  for (unsigned k = 0; k < values; ++k) {
    for (const ptx::Operand& part : parts(instruction.operands[first + 1 + k])) {
      set_source(draft, draft.op.s_count++, operands.source(part, type), wide);
    }
  }
}

}  // namespace warpfold::isa
