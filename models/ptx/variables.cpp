// SPDX-License-Identifier: Apache-2.0
// Array sizes, alignment, and initialisers against their type and dimensions.
#include "warpfold/ptx/variables.h"

#include <algorithm>
#include <bit>
#include <string>
#include <vector>

namespace warpfold::ptx {
namespace {

using syntax::InitToken;

// Far beyond any device memory, and small enough that sizes cannot overflow 64 bits.
constexpr std::uint64_t kLargestVariable = std::uint64_t{1} << 40;

bool is_float(Type type) { return type == Type::kF32 || type == Type::kF64; }

std::uint64_t low_bits(std::uint64_t bits, std::uint64_t bytes) {
  return bytes >= 8 ? bits : bits & ((std::uint64_t{1} << (8 * bytes)) - 1);
}

bool integer_fits(const syntax::Number& number, std::uint64_t bytes) {
  if (bytes >= 8) return true;
  if (!number.negative) return number.bits >> (8 * bytes) == 0;
  return static_cast<std::int64_t>(number.bits) >= -(std::int64_t{1} << (8 * bytes - 1));
}

// The value written for an element, as the bits that go to memory. 0f… and 0d… may also stand for untyped bits of
// their own width; a plain integer in a floating-point variable is its value.
std::uint64_t bits_of(const SourceText& source, const InitToken& token, Type type) {
  const syntax::Number& number = token.number;
  const std::uint64_t bytes = type_bytes(type);
  if (number.kind == OperandKind::kInteger && !is_float(type)) {
    if (!integer_fits(number, bytes)) source.fail(token.at, "initial value does not fit the variable's type");
    return low_bits(number.bits, bytes);
  }
  if (!is_float(type)) {
    const bool same_width = bytes == (number.kind == OperandKind::kFloat32 ? 4U : 8U);
    if (!same_width) source.fail(token.at, "floating-point initial value in a variable of another type");
    return number.bits;
  }
  double value = 0;
  if (number.kind == OperandKind::kInteger) {
    value = number.negative ? static_cast<double>(static_cast<std::int64_t>(number.bits))
                            : static_cast<double>(number.bits);
  } else if (number.kind == OperandKind::kFloat32) {
    if (type == Type::kF32) return number.bits;
    value = std::bit_cast<float>(static_cast<std::uint32_t>(number.bits));
  } else {
    if (type == Type::kF64) return number.bits;
    value = std::bit_cast<double>(number.bits);
  }
  return type == Type::kF64 ? std::bit_cast<std::uint64_t>(value)
                            : std::bit_cast<std::uint32_t>(static_cast<float>(value));
}

// Places the values of a brace list: an inner list fills one row of the dimension it stands in, the rest of that row
// stays zero (PTX ISA §5.4.4, which follows C).
class InitialiserReader {
 public:
  InitialiserReader(const SourceText& source, Variable& variable) : source_(source), variable_(variable) {
    sizes_.assign(1, 1);
    std::vector<std::uint64_t> dimensions = variable.dimensions;
    if (variable.vector_width > 1) dimensions.push_back(variable.vector_width);
    for (auto i = dimensions.rbegin(); i != dimensions.rend(); ++i) {
      sizes_.insert(sizes_.begin(), *i == 0 ? kLargestVariable : *i * sizes_.front());
    }
  }

  // Returns one more than the last element mentioned, at least as much as the rows that were opened.
  std::uint64_t read(const std::vector<InitToken>& tokens) {
    bool value_may_follow = true;
    for (const InitToken& token : tokens) {
      const bool starts_value = token.kind != InitToken::Kind::kComma && token.kind != InitToken::Kind::kClose;
      if (starts_value && !value_may_follow) source_.fail(token.at, "expected ',' or '}'");
      if (token.kind == InitToken::Kind::kComma && value_may_follow)
        source_.fail(token.at, "expected an initial value");
      take(token);
      value_may_follow = token.kind == InitToken::Kind::kOpen || token.kind == InitToken::Kind::kComma;
    }
    return used_;
  }

 private:
  void take(const InitToken& token) {
    switch (token.kind) {
      case InitToken::Kind::kOpen:
        open(token);
        break;
      case InitToken::Kind::kClose:
        close();
        break;
      case InitToken::Kind::kComma:
        break;
      case InitToken::Kind::kNumber:
      case InitToken::Kind::kSymbol:
        place(token);
        break;
    }
  }

  void open(const InitToken& token) {
    if (row_ends_.size() + 1 >= sizes_.size())
      source_.fail(token.at, "braces nested deeper than the variable's dimensions");
    const std::uint64_t size = sizes_[row_ends_.size()];
    if (next_ % size != 0) source_.fail(token.at, "inner list starts in the middle of a row");
    if (!row_ends_.empty() && next_ >= row_ends_.back()) source_.fail(token.at, "more initial values than elements");
    row_ends_.push_back(next_ + size);
  }

  void close() {
    // The outermost list of `[]` ends where its values end.
    if (row_ends_.size() > 1 || !variable_.unsized) next_ = row_ends_.back();
    used_ = std::max(used_, next_);
    row_ends_.pop_back();
  }

  void place(const InitToken& token) {
    if (next_ >= (row_ends_.empty() ? sizes_.front() : row_ends_.back())) {
      source_.fail(token.at, "more initial values than elements");
    }
    InitialValue value;
    value.element = next_++;
    value.where = source_.locate(source_.skip_space(token.at));
    if (token.kind == InitToken::Kind::kNumber) {
      value.bits = bits_of(source_, token, variable_.type);
    } else {
      value.symbol = token.symbol;
      value.offset = static_cast<std::int64_t>(token.offset);
      value.generic = token.generic;
      value.mask = token.mask;
    }
    used_ = std::max(used_, next_);
    variable_.initialiser.push_back(value);
  }

  const SourceText& source_;
  Variable& variable_;
  std::vector<std::uint64_t> sizes_;     // scalars in the whole, in a row, in a row of that ...; ends with 1
  std::vector<std::uint64_t> row_ends_;  // one per open brace
  std::uint64_t next_ = 0;
  std::uint64_t used_ = 0;
};

void set_size(const SourceText& source, const char* at, Variable& variable) {
  const std::uint64_t element_bytes = variable.vector_width * type_bytes(variable.type);
  std::uint64_t row = 1;  // elements below the first dimension, which may be open
  for (std::size_t i = variable.dimensions.size(); i-- > 0;) {
    const std::uint64_t dimension = variable.dimensions[i];
    if (dimension == 0 && i != 0) source.fail(at, "only the first size of an array may be left open");
    if (dimension > kLargestVariable / element_bytes / row) source.fail(at, "array is too large");
    if (dimension != 0) row *= dimension;
  }
  variable.elements = variable.is_array && variable.dimensions.front() == 0 ? 0 : row;
  variable.bytes = variable.elements * element_bytes;
}

// An open array is one that somebody else sizes: the launch, another module, the caller, or its own initial values.
void check_open(const SourceText& source, const char* at, const Variable& variable) {
  if (variable.unsized && variable.space == Space::kLocal) source.fail(at, "a .local array needs a size");
}

}  // namespace

Variable make_variable(const SourceText& source, const syntax::Specifiers& specifiers,
                       const syntax::Declarator& declarator) {
  if (!specifiers.has_type) source.fail(declarator.at, "declaration without a type");
  if (declarator.is_family) source.fail(declarator.at, "only registers are declared as name<count>");
  if (specifiers.type == Type::kPred) source.fail(declarator.at, "a predicate must be a register");
  Variable variable;
  variable.space = specifiers.space;
  variable.linkage = specifiers.linkage;
  variable.type = specifiers.type;
  variable.vector_width = specifiers.vector_width;
  variable.name = declarator.name;
  variable.source_name = declarator.name;
  variable.managed = specifiers.managed;
  variable.is_pointer = specifiers.is_pointer;
  variable.pointee_space = specifiers.pointee_space;
  variable.where = source.locate(declarator.at);
  const std::uint64_t natural = type_bytes(variable.type) * variable.vector_width;
  variable.align = specifiers.align == 0 ? natural : specifiers.align;
  variable.pointee_align = specifiers.pointee_align;
  variable.dimensions = declarator.dimensions;
  variable.is_array = !variable.dimensions.empty();
  variable.unsized = variable.is_array && variable.dimensions.front() == 0;
  set_size(source, declarator.at, variable);
  check_open(source, declarator.at, variable);
  if (!declarator.has_initialiser) return variable;
  if (variable.space != Space::kGlobal && variable.space != Space::kConst) {
    source.fail(declarator.at, "only .global and .const variables have initial values");
  }
  if (declarator.open_braces > 0) source.fail(declarator.initialiser.front().at, "initialiser is never closed");
  variable.has_initialiser = true;
  const std::uint64_t used = InitialiserReader(source, variable).read(declarator.initialiser);
  if (variable.unsized) {
    std::uint64_t row = variable.vector_width;
    for (std::size_t i = 1; i < variable.dimensions.size(); ++i) row *= variable.dimensions[i];
    variable.dimensions.front() = row == 0 ? 0 : (used + row - 1) / row;
    variable.unsized = false;
    set_size(source, declarator.at, variable);
  }
  return variable;
}

}  // namespace warpfold::ptx
