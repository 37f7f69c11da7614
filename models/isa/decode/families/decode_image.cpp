// SPDX-License-Identifier: Apache-2.0
// Texture fetches and surface accesses (PTX ISA §9.7.9, §9.7.10), in the unified mode: a handle names texture and
// sampler.
#include <algorithm>
#include <array>
#include <bit>
#include <optional>
#include <string_view>
#include <utility>

#include "warpfold/isa/decode/families/decode_family.h"

namespace warpfold::isa {
namespace {

struct Geometry {
  std::string_view name;
  std::uint8_t dimensions;
  bool layered, cube;
  std::uint8_t written;  // coordinates as PTX writes them, at least; up to four, what is too many being fillers
};
constexpr std::array<Geometry, 7> kGeometries{{{"1d", 1, false, false, 1},
                                               {"2d", 2, false, false, 2},
                                               {"3d", 3, false, false, 4},
                                               {"a1d", 1, true, false, 2},
                                               {"a2d", 2, true, false, 4},
                                               {"cube", 2, false, true, 4},
                                               {"acube", 2, true, true, 4}}};

constexpr std::array<std::pair<std::string_view, ImageAccess::Outside>, 3> kOutside{
    {{"trap", ImageAccess::Outside::kTrap},
     {"clamp", ImageAccess::Outside::kClamp},
     {"zero", ImageAccess::Outside::kZero}}};

// Values are computed at issue: how a surface access is cached changes nothing.
constexpr std::array<std::string_view, 7> kCacheHints{"ca", "cg", "cs", "cv", "wb", "wt", "lu"};

constexpr std::string_view kChannels = "rgba";

constexpr std::array<std::pair<std::string_view, Atomic>, 5> kReductions{
    {{"add", Atomic::kAdd}, {"min", Atomic::kMin}, {"max", Atomic::kMax}, {"and", Atomic::kAnd}, {"or", Atomic::kOr}}};

using Query = ImageAccess::Query;
constexpr std::array<std::pair<std::string_view, Query>, 9> kQueries{{{"width", Query::kWidth},
                                                                      {"height", Query::kHeight},
                                                                      {"depth", Query::kDepth},
                                                                      {"array_size", Query::kArraySize},
                                                                      {"channel_data_type", Query::kChannelDataType},
                                                                      {"channel_order", Query::kChannelOrder},
                                                                      {"normalized_coords", Query::kNormalizedCoords},
                                                                      {"num_mipmap_levels", Query::kMipmapLevels},
                                                                      {"num_samples", Query::kSamples}}};

// What the modifiers say.
struct ImageModifiers {
  const Geometry* geometry = nullptr;
  unsigned elements = 1;
  bool level = false;      // tex.level: at a level of detail
  bool gradients = false;  // tex.grad
  bool untyped = false;    // suld.b, sust.b, sured.b
  std::optional<Atomic> reduction;
  std::array<OpInfo::Operand, 2> types{};  // of the result or value, and of a fetch's coordinates
  unsigned type_count = 0;
};

ImageModifiers read_modifiers(OperandDecoder& operands, const ptx::Instruction& instruction, ImageAccess& image) {
  ImageModifiers result;
  for (const std::string& modifier : instruction.modifiers) {
    const auto geometry = std::find_if(kGeometries.begin(), kGeometries.end(),
                                       [&](const Geometry& candidate) { return candidate.name == modifier; });
    const auto outside = std::find_if(kOutside.begin(), kOutside.end(),
                                      [&](const auto& candidate) { return candidate.first == modifier; });
    const auto reduction = std::find_if(kReductions.begin(), kReductions.end(),
                                        [&](const auto& candidate) { return candidate.first == modifier; });
    const OpInfo::Operand type = type_of(modifier);
    if (geometry != kGeometries.end()) {
      result.geometry = &*geometry;
    } else if (outside != kOutside.end()) {
      image.outside = outside->second;
    } else if (modifier == "v2" || modifier == "v4") {
      result.elements = modifier == "v2" ? 2 : 4;
    } else if (modifier == "level") {
      result.level = true;
    } else if (modifier == "grad") {
      result.gradients = true;
    } else if (instruction.name == "tld4" && modifier.size() == 1 && kChannels.find(modifier) != kChannels.npos) {
      image.gathers = static_cast<std::uint8_t>(1 + kChannels.find(modifier));
    } else if (modifier == "b") {
      result.untyped = true;
    } else if (reduction != kReductions.end() && instruction.name == "sured") {
      result.reduction = reduction->second;
    } else if (modifier == "p" && (instruction.name == "sust" || instruction.name == "sured")) {
      image.formatted = true;
    } else if (modifier == "base" && instruction.name == "tex") {
    } else if (type.bits >= 8 && result.type_count < result.types.size()) {
      result.types[result.type_count++] = type;
    } else if (std::find(kCacheHints.begin(), kCacheHints.end(), modifier) == kCacheHints.end()) {
      operands.unsupported();
    }
  }
  if (result.geometry == nullptr) operands.unsupported("of this geometry");
  image.dimensions = result.geometry->dimensions;
  image.layered = result.geometry->layered;
  image.cube = result.geometry->cube;
  return result;
}

// A register, or a variable of the module, whose address it is.
void set_handle(OperandDecoder& operands, ptx::Operand handle, Draft& draft) {
  if (handle.refers != ptx::Refers::kRegister && handle.refers != ptx::Refers::kModuleVariable) {
    operands.unsupported("the handle is neither a register nor a variable of the module");
  }
  if (handle.kind == ptx::OperandKind::kAddress) {
    if (handle.offset != 0) operands.unsupported("the handle has an offset");
    handle.kind = handle.refers == ptx::Refers::kRegister ? ptx::OperandKind::kRegister : ptx::OperandKind::kSymbol;
  }
  draft.base = operands.source(handle, {'b', 64});
}

// [handle, coordinates]: the draft's base and its first sources.
void set_place(OperandDecoder& operands, const ptx::Operand& operand, const Geometry& geometry,
               OpInfo::Operand coordinate_type, Draft& draft) {
  if (operand.kind != ptx::OperandKind::kTuple || operand.elements.size() != 2) {
    operands.unsupported("a handle and coordinates in brackets are needed");
  }
  set_handle(operands, operand.elements[0], draft);
  const std::vector<ptx::Operand> coordinates = operands.elements(operand.elements[1]);
  const bool is_vector = std::has_single_bit(coordinates.size()) && coordinates.size() <= 4;
  if (!is_vector || coordinates.size() < geometry.written) operands.unsupported("with this number of coordinates");
  const unsigned taken = draft.op.image.coordinates();
  OpInfo::Operand type = geometry.layered ? OpInfo::Operand{'u', 32} : coordinate_type;
  for (unsigned k = 0; k < taken; ++k) {
    set_source(draft, k, operands.source(coordinates[k], type), false);
    type = coordinate_type;
  }
  for (std::size_t k = taken; k < coordinates.size(); ++k) operands.source(coordinates[k], {'b', 32});
  draft.op.s_count = static_cast<std::uint8_t>(taken);
}

void set_results(OperandDecoder& operands, const ptx::Operand& operand, unsigned elements, OpInfo::Operand type,
                 Width width, Draft& draft) {
  const std::vector<ptx::Operand> results = operands.elements(operand);
  if (results.size() != elements) operands.unsupported("with this number of elements");
  draft.op.d_count = static_cast<std::uint8_t>(results.size());
  for (unsigned k = 0; k < results.size(); ++k) {
    const Ref result = operands.destination(results[k], type, width);
    set_destination(draft, k, result, operands.is_wide(result));
  }
}

// {x, y} or x alone: texels that are added to the coordinates. What there is more of are fillers.
void set_offsets(OperandDecoder& operands, const ptx::Operand& operand, const Geometry& geometry, Draft& draft) {
  const std::vector<ptx::Operand> offsets = operands.elements(operand);
  const bool is_vector = std::has_single_bit(offsets.size()) && offsets.size() <= 4;
  const bool is_float = offsets[0].refers == ptx::Refers::kRegister &&
                        operands.function().registers[offsets[0].index].type == ptx::Type::kF32;
  if (geometry.cube || is_float || !is_vector || offsets.size() < geometry.dimensions) {
    operands.unsupported("offsets are integers, one for each dimension; depths are not compared");
  }
  draft.op.offset = 1;
  for (unsigned k = 0; k < geometry.dimensions; ++k) {
    set_source(draft, draft.op.s_count++, operands.source(offsets[k], {'s', 32}), false);
  }
}

void decode_fetch(OperandDecoder& operands, const ptx::Instruction& instruction, Draft& draft) {
  const ImageModifiers modifiers = read_modifiers(operands, instruction, draft.op.image);
  const auto [result, coordinate] = modifiers.types;
  const bool good = modifiers.type_count == 2 && modifiers.elements == 4 && !modifiers.untyped && result.bits == 32 &&
                    coordinate.bits == 32 && (coordinate.kind == 's' || coordinate.kind == 'f') &&
                    !draft.op.image.formatted;
  const bool gathers = draft.op.image.gathers != 0, direction = modifiers.geometry->cube;
  const unsigned more = modifiers.level ? 1 : modifiers.gradients ? 2 : 0;
  const bool offsets = instruction.operands.size() == 3 + more;
  if (!good || (instruction.operands.size() != 2 + more && !offsets)) operands.unsupported();
  if ((gathers || direction) && coordinate.kind != 'f') operands.unsupported("at places that are integers");
  const bool gatherable = modifiers.geometry->dimensions == 2 && more == 0;
  if (gathers != (instruction.name == "tld4") || (gathers && !gatherable)) operands.unsupported();
  draft.op.kind = Kind::kLoad;
  draft.op.space = Space::kTexture;
  draft.op.element_bytes = 4;
  draft.op.image.float_coordinates = coordinate.kind == 'f';
  set_place(operands, instruction.operands[1], *modifiers.geometry, coordinate, draft);
  set_results(operands, instruction.operands[0], 4, result, Width::kExact, draft);
  if (offsets) set_offsets(operands, instruction.operands[2 + more], *modifiers.geometry, draft);
  // Textures have one level: whatever is asked for is read, and gives that. Gradients, of which three dimensions have
  // more than an instruction has places for, are looked at only here.
  for (unsigned k = 0; modifiers.gradients && k < more; ++k) {
    for (const ptx::Operand& along : operands.elements(instruction.operands[2 + k])) operands.source(along, coordinate);
  }
  if (modifiers.level)
    set_source(draft, draft.op.s_count++, operands.source(instruction.operands[2], coordinate), false);
}

void decode_surface(OperandDecoder& operands, const ptx::Instruction& instruction, bool loads, Draft& draft) {
  const ImageModifiers modifiers = read_modifiers(operands, instruction, draft.op.image);
  const OpInfo::Operand type = modifiers.types[0];
  const bool formatted = draft.op.image.formatted;
  const bool good = modifiers.type_count == 1 && modifiers.untyped != formatted && (!formatted || type.bits == 32) &&
                    !modifiers.level && !modifiers.gradients && !modifiers.geometry->cube &&
                    type.bits / 8 * modifiers.elements <= 16;
  if (!good || instruction.operands.size() != 2) operands.unsupported();
  draft.op.kind = loads ? Kind::kLoad : Kind::kStore;
  draft.op.space = Space::kGlobal;
  draft.op.element_bytes = static_cast<std::uint8_t>(type.bits / 8);
  set_place(operands, instruction.operands[loads ? 1 : 0], *modifiers.geometry, {'s', 32}, draft);
  if (loads) return set_results(operands, instruction.operands[0], modifiers.elements, type, Width::kMayBeWider, draft);
  const std::vector<ptx::Operand> values = operands.elements(instruction.operands[1]);
  if (values.size() != modifiers.elements) operands.unsupported("with this number of elements");
  for (const ptx::Operand& value : values) {
    set_source(draft, draft.op.s_count++, operands.source(value, type, Width::kMayBeWider), type.bits == 64);
  }
}

// Of .b, or .p with the sign that the surface's texels have.
bool is_reduction(Atomic reduction, OpInfo::Operand type, bool formatted) {
  const bool is_number = formatted ? type.kind == 'b' : type.kind == 'u' || type.kind == 's';
  switch (reduction) {
    case Atomic::kAdd:
      return is_number && (type.bits == 32 || (type.bits == 64 && type.kind == 'u'));
    case Atomic::kMin:
    case Atomic::kMax:
      return is_number && type.bits >= 32;
    default:
      return type.kind == 'b' && type.bits == 32;
  }
}

// sured.b.add.2d.u32.trap [handle, coordinates], value
void decode_reduction(OperandDecoder& operands, const ptx::Instruction& instruction, Draft& draft) {
  const ImageModifiers modifiers = read_modifiers(operands, instruction, draft.op.image);
  const OpInfo::Operand type = modifiers.types[0];
  const bool formatted = draft.op.image.formatted;
  const bool plain = modifiers.type_count == 1 && modifiers.elements == 1 && modifiers.untyped != formatted &&
                     !modifiers.level && !modifiers.gradients && !modifiers.geometry->layered &&
                     !modifiers.geometry->cube;
  if (!plain || !modifiers.reduction || !is_reduction(*modifiers.reduction, type, formatted)) operands.unsupported();
  expect_operands(operands, instruction, 2);
  draft.op.kind = Kind::kAtomic;
  draft.op.space = Space::kGlobal;
  draft.op.atomic = *modifiers.reduction;
  draft.op.element_bytes = static_cast<std::uint8_t>(type.bits / 8);
  draft.op.element_type = static_cast<std::uint8_t>(type.kind);
  set_place(operands, instruction.operands[0], *modifiers.geometry, {'s', 32}, draft);
  set_source(draft, draft.op.s_count++, operands.source(instruction.operands[1], type), type.bits == 64);
}

// txq.width.b32 d, [handle]; txq.level.width.b32 d, [handle], level
void decode_query(OperandDecoder& operands, const ptx::Instruction& instruction, Draft& draft) {
  const bool of_texture = instruction.name == "txq", level = of_texture && instruction.has("level");
  std::vector<std::string> words = instruction.modifiers;
  if (level) words.erase(std::find(words.begin(), words.end(), "level"));
  if (words.size() != 2 || words[1] != "b32" || instruction.operands.size() != (level ? 3 : 2)) operands.unsupported();
  const auto query = std::find_if(kQueries.begin(), kQueries.end(), [&](const auto& q) { return q.first == words[0]; });
  if (query == kQueries.end() || instruction.operands[1].kind != ptx::OperandKind::kAddress) operands.unsupported();
  draft.op.kind = Kind::kLoad;
  draft.op.space = of_texture ? Space::kTexture : Space::kGlobal;
  draft.op.element_bytes = 4;
  draft.op.image.dimensions = 1;
  draft.op.image.query = query->second;
  set_handle(operands, instruction.operands[1], draft);
  set_results(operands, instruction.operands[0], 1, {'b', 32}, Width::kExact, draft);
  if (level) set_source(draft, draft.op.s_count++, operands.source(instruction.operands[2], {'b', 32}), false);
}

}  // namespace

bool decode_image(OperandDecoder& operands, const ptx::Instruction& instruction, Draft& draft) {
  const std::string_view name = instruction.name;
  const bool fetches = name == "tex" || name == "tld4", loads = name == "suld", asks = name == "txq" || name == "suq";
  const bool reduces = name == "sured";
  if (!fetches && !loads && !asks && !reduces && name != "sust") return false;
  draft.op.unit = Unit::kMemory;
  draft.varying = fetches || loads || asks;
  if (asks) {
    decode_query(operands, instruction, draft);
  } else if (reduces) {
    decode_reduction(operands, instruction, draft);
  } else if (fetches) {
    decode_fetch(operands, instruction, draft);
  } else {
    decode_surface(operands, instruction, loads, draft);
  }
  return true;
}

}  // namespace warpfold::isa
