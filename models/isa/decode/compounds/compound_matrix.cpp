// SPDX-License-Identifier: Apache-2.0
// ldmatrix, stmatrix, movmatrix, wmma.load and wmma.store: each thread computes where its elements lie, and gets or
// stores them.
#include <algorithm>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "warpfold/isa/decode/compounds/code_writer.h"
#include "warpfold/isa/decode/compounds/compound.h"
#include "warpfold/isa/decode/compounds/matrix_shape.h"

namespace warpfold::isa {
namespace {

using ptx::Type;

// Registers and plain instructions on them.
class Assembler {
 public:
  explicit Assembler(CodeWriter& code) : code_(code) {}
  ptx::Operand fresh(Type type) { return register_operand(code_.new_register(type)); }
  ptx::Operand word(const char* name, std::vector<std::string> modifiers, Operands sources) {
    return of(Type::kB32, name, std::move(modifiers), std::move(sources));
  }
  ptx::Operand of(Type type, const char* name, std::vector<std::string> modifiers, Operands sources) {
    const ptx::Operand result = fresh(type);
    sources.insert(sources.begin(), result);
    code_.write(name, std::move(modifiers), std::move(sources));
    return result;
  }
  ptx::Operand plus(const ptx::Operand& a, const ptx::Operand& b) { return word("add", {"u32"}, {a, b}); }
  ptx::Operand times(const ptx::Operand& a, unsigned b) {
    if (a.kind == ptx::OperandKind::kInteger) return integer_operand(a.bits * b);
    return word("mul", {"lo", "u32"}, {a, integer_operand(b)});
  }
  ptx::Operand multiply_add(const ptx::Operand& a, const ptx::Operand& b, const ptx::Operand& c) {
    return word("mad", {"lo", "u32"}, {a, b, c});
  }
  // Lane 4 g + t.
  ptx::Operand lane() {
    ptx::Operand special;
    special.kind = ptx::OperandKind::kSpecialRegister;
    special.name = "%laneid";
    return word("mov", {"u32"}, {special});
  }
  CodeWriter& code() { return code_; }

 private:
  CodeWriter& code_;
};

// --- ldmatrix and stmatrix ---

// Lane 8 j + i brings the address of row i of matrix j; each thread gets from the lane of its row the address, and
// loads or stores its two elements. Transposed, they lie in two rows. Generic addresses are of shared memory, too.
class MatrixRows {
 public:
  MatrixRows(CodeWriter& code, const ptx::Operand& address, bool generic, const Operands& registers)
      : asm_(code), lane_(asm_.lane()) {
    group_ = asm_.word("shr", {"u32"}, {lane_, integer_operand(2)});
    const auto within = asm_.word("and", {"b32"}, {lane_, integer_operand(3)});
    pair_ = asm_.times(within, 2);
    if (address.refers == ptx::Refers::kRegister && ptx::type_bytes(code.type_of(address)) == 8) {
      auto shared = register_operand(address.index);
      if (generic) shared = asm_.of(Type::kB64, "cvta", {"to", "shared", "u64"}, {shared});
      address_ = asm_.word("cvt", {"u32", "u64"}, {shared});
    } else if (address.refers == ptx::Refers::kRegister) {
      address_ = register_operand(address.index);
      // The first result may overwrite what the others need.
      const bool overwritten = std::any_of(registers.begin(), registers.end(), [&](const ptx::Operand& one) {
        return one.refers == ptx::Refers::kRegister && one.index == address.index;
      });
      if (overwritten) address_ = asm_.word("mov", {"b32"}, {address_});
    } else {
      ptx::Operand symbol = address;
      symbol.kind = ptx::OperandKind::kSymbol;
      address_ = asm_.word("mov", {"u32"}, {symbol});
      return;
    }
    offset_ = address.offset;
  }

  void load(unsigned matrix, const ptx::Operand& result) { asm_.code().write("ld", kWord, {result, at(pair(matrix))}); }
  void store(unsigned matrix, const ptx::Operand& value) { asm_.code().write("st", kWord, {at(pair(matrix)), value}); }

  void load_transposed(unsigned matrix, const ptx::Operand& result) {
    const auto [low_at, high_at] = elements(matrix);
    const auto low = asm_.of(Type::kB16, "ld", kHalf, {at(low_at)}),
               high = asm_.of(Type::kB16, "ld", kHalf, {at(high_at)});
    asm_.code().write("mov", {"b32"}, {result, vector_operand({low, high})});
  }
  void store_transposed(unsigned matrix, const ptx::Operand& value) {
    const auto [low_at, high_at] = elements(matrix);
    const auto low = asm_.fresh(Type::kB16), high = asm_.fresh(Type::kB16);
    asm_.code().write("mov", {"b32"}, {vector_operand({low, high}), value});
    asm_.code().write("st", kHalf, {at(low_at), low});
    asm_.code().write("st", kHalf, {at(high_at), high});
  }

 private:
  // The address that the lane of a row brought.
  ptx::Operand row(const ptx::Operand& index, unsigned matrix) {
    const auto from = asm_.plus(index, integer_operand(8 * matrix));
    return asm_.word("shfl", {"sync", "idx", "b32"},
                     {address_, from, integer_operand(31), integer_operand(0xffffffff)});
  }
  // Where the lane's pair of elements lies, and where they lie transposed.
  ptx::Operand pair(unsigned matrix) { return asm_.multiply_add(pair_, integer_operand(2), row(group_, matrix)); }
  std::pair<ptx::Operand, ptx::Operand> elements(unsigned matrix) {
    const auto next = asm_.plus(pair_, integer_operand(1));
    const auto low = row(pair_, matrix), high = row(next, matrix);
    return {asm_.multiply_add(group_, integer_operand(2), low), asm_.multiply_add(group_, integer_operand(2), high)};
  }
  ptx::Operand at(const ptx::Operand& place) const {
    return address_operand(ptx::Refers::kRegister, place.index, offset_);
  }

  static inline const std::vector<std::string> kWord{"shared", "b32"}, kHalf{"shared", "b16"};

  Assembler asm_;
  ptx::Operand lane_, group_, pair_, address_;
  std::int64_t offset_ = 0;
};

bool lower_matrix_rows(CodeWriter& code, const ptx::Instruction& instruction) {
  const bool shared = instruction.has("shared") || instruction.has("shared::cta");
  if (!instruction.has("m8n8") || !instruction.has("b16") || instruction.operands.size() != 2) return false;
  const bool loads = instruction.name == "ldmatrix", transposed = instruction.has("trans");
  const Operands registers = parts_of(instruction.operands[loads ? 0 : 1]);
  const ptx::Operand& address = instruction.operands[loads ? 1 : 0];
  const unsigned matrices = instruction.has("x4") ? 4 : instruction.has("x2") ? 2 : 1;
  if (registers.size() != matrices || address.kind != ptx::OperandKind::kAddress) return false;
  MatrixRows rows(code, address, !shared, registers);
  for (unsigned matrix = 0; matrix < matrices; ++matrix) {
    if (loads) {
      transposed ? rows.load_transposed(matrix, registers[matrix]) : rows.load(matrix, registers[matrix]);
    } else {
      transposed ? rows.store_transposed(matrix, registers[matrix]) : rows.store(matrix, registers[matrix]);
    }
  }
  return true;
}

// --- movmatrix ---

// Lane 4 g + t holds elements 2 t and 2 t + 1 of row g, and is to hold those of column g. They lie in the rows 2 t and
// 2 t + 1, each in half g mod 2 of the register of the row's lane g / 2.
bool lower_movmatrix(CodeWriter& code, const ptx::Instruction& instruction) {
  if (!instruction.has("m8n8") || !instruction.has("trans") || !instruction.has("b16")) return false;
  if (instruction.operands.size() != 2) return false;
  Assembler assembler(code);
  const auto lane = assembler.lane();
  const auto group = assembler.word("shr", {"u32"}, {lane, integer_operand(2)});
  const auto within = assembler.word("and", {"b32"}, {lane, integer_operand(3)});
  const auto place = assembler.word("shr", {"u32"}, {group, integer_operand(1)});
  const auto from = assembler.multiply_add(within, integer_operand(8), place);
  const auto register_of = [&](const ptx::Operand& source) {
    return assembler.word("shfl", {"sync", "idx", "b32"},
                          {instruction.operands[1], source, integer_operand(31), integer_operand(0xffffffff)});
  };
  const auto low = register_of(from), high = register_of(assembler.plus(from, integer_operand(4)));
  const auto half = assembler.word("and", {"b32"}, {group, integer_operand(1)});
  const auto bytes = assembler.multiply_add(half, integer_operand(0x2222), integer_operand(0x5410));
  code.write("prmt", {"b32"}, {instruction.operands[0], low, high, bytes});
  return true;
}

// --- wmma ---

// A fragment in memory: lines of `inner` elements each, `stride` elements from one line to the next.
class Fragment {
 public:
  Fragment(CodeWriter& code, const ptx::Instruction& instruction, MatrixType type, const ptx::Operand& address,
           const ptx::Operand& stride)
      : asm_(code), bytes_(matrix_type_bytes(type)), address_(address) {
    for (const char* space : {"global", "shared", "shared::cta"}) {
      if (instruction.has(space)) space_ = space;
    }
    const auto lane = asm_.lane();
    group_ = asm_.word("shr", {"u32"}, {lane, integer_operand(2)});
    within_ = asm_.word("and", {"b32"}, {lane, integer_operand(3)});
    stride_ = asm_.times(stride, bytes_);
  }

  // Bytes from the begin to line `line` plus the lane's group, element `element` plus so many times the lane's place.
  void go_to(unsigned line, unsigned element, unsigned times, bool lines_first) {
    const auto lines = line == 0 ? group_ : asm_.plus(group_, integer_operand(line));
    const auto scaled = asm_.times(within_, times);
    const auto elements = element == 0 ? scaled : asm_.plus(scaled, integer_operand(element));
    const auto& major = lines_first ? lines : elements;
    const auto& minor = lines_first ? elements : lines;
    const auto offset = asm_.multiply_add(major, stride_, asm_.times(minor, bytes_));
    place_ = based(offset);
  }
  // One stride further.
  void next_line() { place_ = sum(place_, stride_); }

  std::vector<std::string> modifiers(const std::string& type, bool pair = false) const {
    std::vector<std::string> words;
    if (!space_.empty()) words.push_back(space_);
    if (pair) words.push_back("v2");
    words.push_back(type);
    return words;
  }
  ptx::Operand at() const {
    return address_operand(ptx::Refers::kRegister, place_.index, from_register() ? address_.offset : 0);
  }
  Assembler& assembler() { return asm_; }
  unsigned bytes() const { return bytes_; }

 private:
  bool from_register() const { return address_.refers == ptx::Refers::kRegister; }
  bool is_wide(const ptx::Operand& reg) { return ptx::type_bytes(asm_.code().type_of(reg)) == 8; }

  ptx::Operand based(const ptx::Operand& offset) {
    if (from_register()) return sum(register_operand(address_.index), offset);
    ptx::Operand symbol = address_;
    symbol.kind = ptx::OperandKind::kSymbol;
    return sum(asm_.of(Type::kB64, "mov", {"u64"}, {symbol}), offset);
  }
  // In the width of the address.
  ptx::Operand sum(const ptx::Operand& address, const ptx::Operand& offset) {
    if (!is_wide(address)) return asm_.plus(address, offset);
    const bool constant = offset.kind == ptx::OperandKind::kInteger;
    const auto wide = constant ? offset : asm_.of(Type::kB64, "cvt", {"u64", "u32"}, {offset});
    return asm_.of(Type::kB64, "add", {"u64"}, {address, wide});
  }

  Assembler asm_;
  const unsigned bytes_;
  const ptx::Operand address_;
  std::string space_;
  ptx::Operand group_, within_, stride_, place_;
};

// `count` elements of a register, one after the other in memory or a stride apart.
void load_elements(Fragment& fragment, unsigned count, bool neighbours, const ptx::Operand& result) {
  Assembler& assembler = fragment.assembler();
  CodeWriter& code = assembler.code();
  if (neighbours || count == 1) {
    code.write("ld", fragment.modifiers(count * fragment.bytes() == 8 ? "b64" : "b32"), {result, fragment.at()});
    return;
  }
  Operands elements;
  for (unsigned k = 0; k < count; ++k) {
    if (k != 0) fragment.next_line();
    if (fragment.bytes() == 2) {
      elements.push_back(assembler.of(Type::kB16, "ld", fragment.modifiers("b16"), {fragment.at()}));
    } else {
      elements.push_back(assembler.word("ld", fragment.modifiers("u8"), {fragment.at()}));
    }
  }
  if (fragment.bytes() == 2) {
    code.write("mov", {"b32"}, {result, vector_operand(elements)});
    return;
  }
  ptx::Operand gathered = elements[0];
  for (unsigned k = 1; k < count; ++k) {
    const auto last = k + 1 == count ? result : assembler.fresh(Type::kB32);
    code.write("bfi", {"b32"}, {last, elements[k], gathered, integer_operand(8 * k), integer_operand(8)});
    gathered = last;
  }
}

// A or B: registers as product_of() expects them, from the begin again where PTX has more than there are elements.
void load_factor(Fragment& fragment, const MatrixSteps& steps, MatrixType type, bool gives_rows, bool neighbours,
                 const Operands& results) {
  const unsigned elements = elements_of(type);
  const unsigned halves = gives_rows && steps.two_rows ? 2 : 1, blocks = gives_rows ? steps.rows : steps.columns;
  const std::size_t held = std::size_t{blocks} * steps.inner * halves;
  std::size_t at = 0;
  for (unsigned block = 0; block < blocks; ++block) {
    for (unsigned inner = 0; inner < steps.inner; ++inner) {
      for (unsigned half = 0; half < halves; ++half) {
        fragment.go_to(8 * (block * halves + half), 4 * elements * inner, elements, neighbours);
        load_elements(fragment, elements, neighbours, results[at++]);
      }
    }
  }
  for (; at < results.size(); ++at) {
    fragment.assembler().code().write("mov", {"b32"}, {results[at], results[at - held]});
  }
}

// C or D, whose rows follow each other along `neighbours`.
class Sums {
 public:
  Sums(Fragment& fragment, MatrixType type, bool neighbours, bool loads)
      : fragment_(fragment), code_(fragment.assembler().code()), type_(type), neighbours_(neighbours), loads_(loads) {}

  void move(const MatrixSteps& steps, const Operands& registers) {
    std::size_t at = 0;
    const unsigned halves = steps.two_rows ? 2 : 1, each = type_ == MatrixType::kF16 ? 1 : 2;
    for (unsigned row = 0; row < steps.rows; ++row) {
      for (unsigned column = 0; column < steps.columns; ++column) {
        for (unsigned half = 0; half < halves; ++half, at += each) {
          fragment_.go_to(8 * (row * halves + half), 8 * column, 2, neighbours_);
          each == 1 ? move_pair_of_halves(registers[at]) : move_two(registers[at], registers[at + 1]);
        }
      }
    }
  }

 private:
  void transfer(const std::vector<std::string>& modifiers, const ptx::Operand& value) {
    const auto at = fragment_.at();
    code_.write(loads_ ? "ld" : "st", modifiers, loads_ ? Operands{value, at} : Operands{at, value});
  }
  void move_two(const ptx::Operand& first, const ptx::Operand& second) {
    const std::string type = fragment_.bytes() == 8 ? "b64" : "b32";
    if (neighbours_) return transfer(fragment_.modifiers(type, true), vector_operand({first, second}));
    transfer(fragment_.modifiers(type), first);
    fragment_.next_line();
    transfer(fragment_.modifiers(type), second);
  }
  void move_pair_of_halves(const ptx::Operand& pair) {
    if (neighbours_) return transfer(fragment_.modifiers("b32"), pair);
    Assembler& assembler = fragment_.assembler();
    const auto low = assembler.fresh(Type::kB16), high = assembler.fresh(Type::kB16);
    if (!loads_) code_.write("mov", {"b32"}, {vector_operand({low, high}), pair});
    transfer(fragment_.modifiers("b16"), low);
    fragment_.next_line();
    transfer(fragment_.modifiers("b16"), high);
    if (loads_) code_.write("mov", {"b32"}, {pair, vector_operand({low, high})});
  }

  Fragment& fragment_;
  CodeWriter& code_;
  const MatrixType type_;
  const bool neighbours_, loads_;
};

// wmma.load.a.sync.aligned.row.m16n16k16{.space}.f16 {registers}, [address]{, stride}; wmma.store.d the other way
// round.
struct MatrixAccess {
  char matrix = 0;  // a, b, c, d
  bool loads = true, row_major = true;
  MatrixShape shape;
  MatrixType type = MatrixType::kF16;
  // Elements of a line that a stride leads to.
  unsigned line() const {
    switch (matrix) {
      case 'a':
        return row_major ? shape.k : shape.m;
      case 'b':
        return row_major ? shape.n : shape.k;
      default:
        return row_major ? shape.n : shape.m;
    }
  }
};

std::optional<MatrixAccess> access_of(const ptx::Instruction& instruction) {
  const auto& modifiers = instruction.modifiers;
  if (modifiers.size() < 5 || modifiers[1].size() != 1) return std::nullopt;
  MatrixAccess access;
  access.loads = modifiers[0] == "load";
  access.matrix = modifiers[1][0];
  if (access.loads ? access.matrix > 'c' : access.matrix != 'd') return std::nullopt;
  access.row_major = instruction.has("row");
  const auto type = matrix_type(modifiers.back());
  if (!type || (!access.row_major && !instruction.has("col"))) return std::nullopt;
  access.type = *type;
  for (const std::string& modifier : modifiers) {
    if (const auto shape = matrix_shape(modifier)) access.shape = *shape;
  }
  return access;
}

// Of C and D, the elements that were multiplied do not matter but for the shape.
std::optional<MatrixSteps> steps_of(const MatrixAccess& access) {
  const bool factor = access.matrix < 'c';
  const bool doubles = access.type == MatrixType::kF64;
  const MatrixType of_small = access.shape.k == 8 ? MatrixType::kTf32 : MatrixType::kF16;
  return wmma_steps(access.shape, factor || doubles ? access.type : of_small);
}

bool lower_wmma(CodeWriter& code, const ptx::Instruction& instruction) {
  const auto access = access_of(instruction);
  if (!access || instruction.operands.size() < 2 || instruction.operands.size() > 3) return false;
  const auto steps = steps_of(*access);
  const ptx::Operand& address = instruction.operands[access->loads ? 1 : 0];
  const Operands registers = parts_of(instruction.operands[access->loads ? 0 : 1]);
  if (!steps || address.kind != ptx::OperandKind::kAddress) return false;
  const ptx::Operand stride =
      instruction.operands.size() == 3 ? instruction.operands[2] : integer_operand(access->line());
  if (access->matrix < 'c') {
    const bool gives_rows = (access->matrix == 'a') != steps->transposed;
    if (registers.size() < (gives_rows ? steps->row_registers() : steps->column_registers())) return false;
    Fragment fragment(code, instruction, access->type, address, stride);
    load_factor(fragment, *steps, access->type, gives_rows, (access->matrix == 'a') == access->row_major, registers);
    return true;
  }
  if (registers.size() != steps->sums() * sums_of(access->type, steps->two_rows)) return false;
  Fragment fragment(code, instruction, access->type, address, stride);
  Sums(fragment, access->type, access->row_major != steps->transposed, access->loads).move(*steps, registers);
  return true;
}

}  // namespace

bool lower_matrix_memory(CodeWriter& code) {
  const ptx::Instruction instruction = code.old();
  if (instruction.name == "ldmatrix" || instruction.name == "stmatrix") return lower_matrix_rows(code, instruction);
  if (instruction.name == "movmatrix") return lower_movmatrix(code, instruction);
  const bool moves = instruction.name == "wmma" && !instruction.modifiers.empty() &&
                     (instruction.modifiers[0] == "load" || instruction.modifiers[0] == "store");
  return moves && lower_wmma(code, instruction);
}

}  // namespace warpfold::isa
