// SPDX-License-Identifier: Apache-2.0
// What a PTX file says, as plain data: names resolved, nested scopes flattened, nothing interpreted yet.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "warpfold/ptx/source_lines.h"

namespace warpfold::ptx {

// A place in the PTX file, both counted from 1.
struct Location {
  std::uint32_t line = 0;
  std::uint32_t column = 0;
};

enum class Type : std::uint8_t {
  kB8,
  kB16,
  kB32,
  kB64,
  kB128,
  kU8,
  kU16,
  kU32,
  kU64,
  kS8,
  kS16,
  kS32,
  kS64,
  kF16,
  kF16x2,
  kBf16,
  kBf16x2,
  kF32,
  kF64,
  kPred,
  kTexref,
  kSamplerref,
  kSurfref,
};

// Bytes in memory; a predicate has none, an opaque reference is a 64-bit handle.
constexpr std::uint64_t type_bytes(Type type) {
  switch (type) {
    case Type::kPred:
      return 0;
    case Type::kB8:
    case Type::kU8:
    case Type::kS8:
      return 1;
    case Type::kB16:
    case Type::kU16:
    case Type::kS16:
    case Type::kF16:
    case Type::kBf16:
      return 2;
    case Type::kB32:
    case Type::kU32:
    case Type::kS32:
    case Type::kF32:
    case Type::kF16x2:
    case Type::kBf16x2:
      return 4;
    case Type::kB64:
    case Type::kU64:
    case Type::kS64:
    case Type::kF64:
      return 8;
    case Type::kTexref:
    case Type::kSamplerref:
    case Type::kSurfref:
      return 8;
    case Type::kB128:
      return 16;
  }
  return 0;
}

enum class Space : std::uint8_t { kReg, kConst, kGlobal, kLocal, kParam, kShared, kTex, kGeneric };

enum class Linkage : std::uint8_t { kNone, kExtern, kVisible, kWeak, kCommon };

// What the name in an operand stands for; the operand's `index` counts in the vector given here.
enum class Refers : std::uint8_t {
  kNothing,
  kRegister,         // Function::registers
  kLabel,            // Function::labels
  kLocalVariable,    // Function::variables (.local, .param of a call, a kernel's .shared declared in the body)
  kParameter,        // Function::params
  kReturnParameter,  // Function::returns
  kBranchTable,      // Function::branch_tables
  kPrototype,        // Function::prototypes
  kModuleVariable,   // Module::variables
  kFunction,         // Module::functions
};

// One element of an initialiser. Elements that are not mentioned are zero.
struct InitialValue {
  std::uint64_t element = 0;  // position in the flattened array (row-major)
  std::uint64_t bits = 0;     // the element's bit pattern, already of its type, when `symbol` is empty
  std::string symbol;         // else the address of this symbol ...
  std::int64_t offset = 0;    // ... plus so many bytes
  bool generic = false;       // generic(symbol): the generic address, not the one in the symbol's own space
  std::uint64_t mask = 0;     // 0xFF00(symbol): the byte picked out of the address; 0 = the whole address
  Location where;
};

struct Variable {
  Space space = Space::kGlobal;
  Linkage linkage = Linkage::kNone;
  Type type = Type::kB32;
  unsigned vector_width = 1;              // .v2 / .v4
  std::uint64_t align = 0;                // bytes; the natural alignment where the source states none
  std::string name;                       // unique within its function or module: `param0@2` in nested scope 2
  std::string source_name;                // as written
  std::vector<std::uint64_t> dimensions;  // as written; 0 for `[]`
  std::uint64_t elements = 1;             // product of the dimensions (0 while unsized)
  std::uint64_t bytes = 0;
  bool unsized = false;  // `[]`: dynamic shared memory, or a variadic parameter list
  bool is_array = false;
  bool managed = false;  // .attribute(.managed)
  bool has_initialiser = false;
  std::vector<InitialValue> initialiser;
  bool is_pointer = false;  // parameter with .ptr
  Space pointee_space = Space::kGeneric;
  std::uint64_t pointee_align = 0;
  Location where;
};

struct Register {
  std::string name;         // unique within the function: `%r1`, or `%r1@2` when declared in nested scope 2
  std::string source_name;  // as written
  Type type = Type::kB32;
  unsigned vector_width = 1;
  Location where;
};

// `instruction` is the index of the first instruction behind the label; it equals instructions.size() at the very end.
struct Label {
  std::string name;
  std::string source_name;
  std::size_t instruction = 0;
  Location where;
};

// name: .branchtargets L1, L2;  (operand of brx.idx)
struct BranchTable {
  std::string name;
  std::vector<std::size_t> labels;  // indices into Function::labels
  Location where;
};

// name: .callprototype (...) _ (...); it types an indirect call. name: .calltargets f, g;  does so by its functions,
// which are alike.
struct Prototype {
  std::string name;
  Location where;
  std::vector<std::uint32_t> targets;  // Module::functions
  bool is_known = false;  // has what follows
  std::vector<Variable> returns;
  std::vector<Variable> params;
};

enum class OperandKind : std::uint8_t {
  kRegister,         // %r1, v.x; refers/index, component
  kSpecialRegister,  // %tid.x; `name` is the text
  kInteger,          // bits (two's complement of the written value), negative, is_unsigned
  kFloat32,          // 0f3F800000: bits = the 32-bit pattern
  kFloat64,          // 0d... or decimal: bits = the 64-bit pattern
  kSymbol,           // variable, function, label, table; refers/index, offset for `sym+4`
  kAddress,          // [...]: refers = kRegister, a variable, or kNothing for an absolute address; offset
  kVector,           // {a, b, ...}: elements
  kPair,             // %p|%q: two elements
  kTuple,            // [tex, {a, b}]: elements = what stands between the brackets
  kList,             // (a, b) of a call: elements, may be empty
  kSink,             // _
};

struct Operand {
  OperandKind kind = OperandKind::kSink;
  Refers refers = Refers::kNothing;
  bool negated = false;      // !%p; -%r of vmad
  bool negative = false;     // integer written with a minus sign
  bool is_unsigned = false;  // integer written with a U suffix
  char component = 0;        // x, y, z, w (r, g, b, a are mapped onto them) of a vector register, else 0
  std::uint32_t index = std::numeric_limits<std::uint32_t>::max();
  std::uint64_t bits = 0;
  std::int64_t offset = 0;
  std::string part;  // "b0", "h1", "h10", "b3210": of a register in a video instruction
  std::string name;  // the unique name of what it refers to (no offset, no component), or the special register
  std::vector<Operand> elements;
  Location where;
};

struct Guard {
  bool present = false;
  bool negated = false;
  std::uint32_t reg = 0;  // index into Function::registers
};

struct Instruction {
  Guard guard;
  std::string name;                    // "ld"
  std::vector<std::string> modifiers;  // {"global", "v4", "f32"}
  std::vector<Operand> operands;       // in source order; `call` gives kList, kSymbol, kList as written
  Location where;                      // of the guard if there is one, else of the opcode

  bool has(std::string_view modifier) const {
    return std::find(modifiers.begin(), modifiers.end(), modifier) != modifiers.end();
  }
};

// Three numbers of .maxntid / .reqntid, whose product fits 32 bits; missing ones are 1, and all are 0 when the
// directive is absent.
struct ThreadCounts {
  std::uint32_t x = 0;
  std::uint32_t y = 0;
  std::uint32_t z = 0;
};

// An .entry (kernel) or a .func, with its body flattened.
struct Function {
  bool is_entry = false;
  bool has_body = false;  // false: declared only (vprintf, malloc, ...)
  bool no_return = false;
  Linkage linkage = Linkage::kNone;
  std::string name;
  std::vector<Variable> returns;
  std::vector<Variable> params;
  ThreadCounts max_threads;               // .maxntid
  ThreadCounts required_threads;          // .reqntid
  std::uint32_t min_blocks_per_core = 0;  // .minnctapersm (or the older .maxnctapersm)
  std::uint32_t max_registers = 0;        // .maxnreg
  std::vector<Register> registers;        // those of `returns` and `params` that are .reg come first, in that order
  std::vector<Variable> variables;
  std::vector<Label> labels;
  std::vector<BranchTable> branch_tables;
  std::vector<Prototype> prototypes;
  std::vector<Instruction> instructions;
  Location where;
};

struct Module {
  std::string file;
  std::string version;               // "7.1"
  std::vector<std::string> targets;  // {"sm_70"} and options such as texmode_independent
  bool narrow = false;               // says that its addresses have 32 bits
  std::vector<Variable> variables;   // and those of bodies that outlive a call: `k.from`, `k.from@2` in nested scope 2
  std::vector<Function> functions;   // .entry and .func, each name once: a definition replaces its declaration
  std::shared_ptr<const SourceLines> sources;  // null where the PTX has none
};

}  // namespace warpfold::ptx
