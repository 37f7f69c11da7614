// SPDX-License-Identifier: Apache-2.0
// What the grammar reads before names are resolved: one statement at a time, texts still pointing into the source.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "warpfold/ptx/ast.h"
#include "warpfold/ptx/source_text.h"

namespace warpfold::ptx::syntax {

// Bytes. PTX ISA §5.4.5 asks for a power of two only; this one is kept wherever variables lie, and far beyond what
// any access asks for.
inline constexpr std::uint64_t kLargestAlignment = 65536;

struct Number {
  OperandKind kind = OperandKind::kInteger;  // kInteger, kFloat32 or kFloat64
  std::uint64_t bits = 0;
  bool negative = false;
  bool is_unsigned = false;
};

// A name or one of the composite forms of OperandKind; names come as kSymbol, whatever they turn out to be.
struct Operand {
  OperandKind kind = OperandKind::kSink;
  const char* at = nullptr;
  std::string_view name;
  std::string_view component;
  bool negated = false;
  Number number;
  bool has_offset = false;
  bool has_element = false;  // name[3]: `offset` counts elements
  std::uint64_t offset = 0;
  bool unified = false;  // [address].unified
  std::vector<Operand> elements;
};

struct Instruction {
  const char* at = nullptr;
  bool guarded = false;
  bool guard_negated = false;
  std::string_view guard;
  std::string_view opcode;  // with its modifiers: "ld.global.v4.f32"
  std::vector<Operand> operands;
};

struct InitToken {
  enum class Kind : std::uint8_t { kOpen, kClose, kComma, kNumber, kSymbol } kind = Kind::kComma;
  const char* at = nullptr;
  Number number;
  std::string_view symbol;
  std::uint64_t offset = 0;
  std::uint64_t mask = 0;
  bool generic = false;
};

struct Declarator {
  const char* at = nullptr;
  std::string_view name;
  bool is_family = false;  // %r<12>
  std::uint64_t family = 0;
  std::vector<std::uint64_t> dimensions;  // 0 for []
  bool has_initialiser = false;
  std::vector<InitToken> initialiser;
  int open_braces = 0;  // left open by the initialiser; more than 0 when the source ends too early
};

// The part of a declaration in front of the names: .visible .global .align 4 .v4 .f32
struct Specifiers {
  const char* at = nullptr;
  Linkage linkage = Linkage::kNone;
  Space space = Space::kGlobal;
  bool has_type = false;
  Type type = Type::kB32;
  unsigned vector_width = 1;
  std::uint64_t align = 0;
  bool managed = false;
  bool is_pointer = false;
  Space pointee_space = Space::kGeneric;
  std::uint64_t pointee_align = 0;
};

struct Declaration {
  Specifiers specifiers;
  std::vector<Declarator> declarators;
};

struct Directive {
  const char* at = nullptr;
  std::string_view name;  // with the dot
  std::vector<std::uint64_t> values;
};

// Everything of a function in front of its body or of the ';' that makes it a mere declaration.
struct FunctionHeader {
  const char* at = nullptr;
  Linkage linkage = Linkage::kNone;
  bool is_entry = false;
  std::string_view name;
  std::vector<Declaration> returns;
  std::vector<Declaration> params;
  std::vector<Directive> directives;
  bool has_body = false;  // the '{' was read, else this is a declaration
};

// One of a list of labels: itself, or with name<count> name0, name1 and so on.
struct LabelName {
  std::string_view name;
  bool is_family = false;
  std::uint64_t family = 0;
};

// Each reads one statement from `at`, leaves `at` behind it, and throws UserError with the place otherwise.
Instruction read_instruction(const SourceText& source, const char*& at);
Declaration read_declaration(const SourceText& source, const char*& at);
FunctionHeader read_function_header(const SourceText& source, const char*& at);
FunctionHeader read_prototype(const SourceText& source, const char*& at);       // .callprototype (...) _ (...);
std::vector<LabelName> read_labels(const SourceText& source, const char*& at);  // a, b<3>, c;

}  // namespace warpfold::ptx::syntax
