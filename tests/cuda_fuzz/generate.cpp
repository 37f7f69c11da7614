// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <iterator>
#include <random>

#include "tests/cuda_fuzz/kernel.h"

namespace warpfold::cuda_fuzz {
namespace {

using Kind = Statement::Kind;

constexpr std::uint64_t kHardIntegers[] = {
    0, 1, 2, 31, 32, 255, 0x80, 0x7fff, 0x80000000, 0x7fffffff, 0xffffffff, 0x8000000000000000, ~0ull};
constexpr std::uint64_t kHardFloats[] = {0x00000000, 0x80000000, 0x3f800000, 0xbf800000, 0x3f000000,
                                         0x40200000, 0x7f800000, 0x7fc00000, 0x00000001, 0x00800000,
                                         0x7f7fffff, 0x4f000000, 0x3eaaaaab, 0x4b800000, 0xc1200000};
constexpr std::uint64_t kHardDoubles[] = {0x0000000000000000, 0x8000000000000000, 0x3ff0000000000000,
                                          0xbff8000000000000, 0x7ff0000000000000, 0x7ff8000000000000,
                                          0x0000000000000001, 0x41dfffffffc00000, 0x43e0000000000000,
                                          0x3fd5555555555555, 0x47efffffe0000000, 0x36a0000000000000};

// One in how many a kind is, for the kinds that a place allows.
struct Weight {
  Kind kind;
  unsigned weight;
  bool nested;  // holds statements
};
constexpr Weight kWeights[] = {
    {Kind::kAssign, 18, false},        {Kind::kIf, 7, true},          {Kind::kLoop, 5, true},
    {Kind::kUntil, 2, true},           {Kind::kSwitch, 3, true},      {Kind::kWalk, 3, true},
    {Kind::kBreak, 2, false},          {Kind::kContinue, 1, false},   {Kind::kReturn, 2, false},
    {Kind::kLoad, 5, false},           {Kind::kVectorLoad, 3, false}, {Kind::kVectorStore, 2, false},
    {Kind::kLocalStore, 3, false},     {Kind::kLocalLoad, 3, false},  {Kind::kCall, 3, false},
    {Kind::kExchange, 5, false},       {Kind::kVote, 4, false},       {Kind::kShuffle, 6, false},
    {Kind::kReduce, 1, false},         {Kind::kMatch, 2, false},      {Kind::kAtomicOwn, 3, false},
    {Kind::kAtomicCommon, 4, false},   {Kind::kTicket, 2, false},     {Kind::kAggregate, 2, false},
    {Kind::kCompareAndSwap, 2, false}, {Kind::kLastBlock, 1, false},  {Kind::kSynchronise, 2, false},
    {Kind::kNamedBarrier, 3, false},   {Kind::kTile, 3, false},       {Kind::kLock, 2, false},
    {Kind::kTexture, 2, false},        {Kind::kMatrix, 2, false},
};

constexpr unsigned kFences = 40;  // the weight of exchanges where fences are wanted
constexpr unsigned kWalks = 20;   // of walks, in every fourth kernel

class Generator {
 public:
  Generator(std::uint32_t seed, const GeneratorOptions& options) : options_(options), random_(seed * 2654435761u + 17) {
    kernel_.seed = seed;
  }

  Kernel make() {
    kernel_.shape = shape();
    kernel_.meetings = one_in(5) ? Meetings::kNone : one_in(5) ? Meetings::kBarriers : Meetings::kWarps;
    if (!options_.collectives && kernel_.meetings == Meetings::kWarps) kernel_.meetings = Meetings::kBarriers;
    if (options_.fences && options_.collectives) kernel_.meetings = Meetings::kWarps;
    kernel_.returns = options_.returns;
    kernel_.both_sides = options_.both_sides;
    kernel_.scattered = options_.scattered;
    kernel_.roles = options_.roles;
    kernel_.spins = options_.spins;
    kernel_.launches = options_.launches;
    walks_ = one_in(4);
    const unsigned functions = below(3);
    budget_ = 6 + below(16);
    kernel_.body = list(3);
    for (unsigned i = 0; i < functions; ++i) {
      budget_ = 5;
      kernel_.functions.push_back(list(1));
    }
    return std::move(kernel_);
  }

 private:
  // std::uniform_int_distribution differs from library to library.
  unsigned below(unsigned limit) { return static_cast<unsigned>(random_() >> 8) % limit; }
  bool one_in(unsigned n) { return below(n) == 0; }
  std::uint64_t bits() { return std::uint64_t{random_()} << 32 | random_(); }
  template <class T, std::size_t N>
  T one_of(const T (&values)[N]) {
    return values[below(N)];
  }

  Shape shape() {
    static constexpr Shape kShapes[] = {
        {{1, 1, 1}, {32, 1, 1}}, {{2, 1, 1}, {64, 1, 1}},  {{3, 1, 1}, {33, 1, 1}}, {{2, 2, 1}, {8, 4, 1}},
        {{1, 2, 2}, {7, 5, 1}},  {{2, 1, 1}, {4, 4, 4}},   {{5, 1, 1}, {17, 1, 1}}, {{1, 3, 1}, {16, 6, 1}},
        {{2, 1, 2}, {3, 5, 3}},  {{1, 1, 1}, {100, 1, 1}}, {{2, 1, 1}, {31, 2, 1}}, {{1, 1, 1}, {128, 1, 1}},
        {{9, 1, 1}, {1, 1, 1}},  {{1, 1, 3}, {5, 1, 7}},   {{1, 1, 1}, {96, 2, 1}}, {{2, 1, 1}, {1, 40, 1}},
    };
    static constexpr Shape kLarge[] = {
        {{1, 1, 1}, {1024, 1, 1}}, {{1, 1, 1}, {32, 8, 4}}, {{20, 3, 1}, {32, 1, 1}}, {{2, 1, 1}, {25, 20, 1}}};
    if (one_in(24)) return one_of(kLarge);
    if (!one_in(3)) return one_of(kShapes);
    // Odd ones, whose last warp has few threads.
    return {{1 + below(2), 1, 1 + below(2)}, {1 + below(7), 1 + below(7), 1 + below(7)}};
  }

  Type type() { return static_cast<Type>(below(kTypes)); }
  std::size_t variable() { return below(static_cast<unsigned>(kVariables.size())); }
  std::size_t variable_of(Type type) {
    std::size_t at = variable();
    while (kVariables[at].type != type) at = (at + 1) % kVariables.size();
    return at;
  }

  Expression leaf(Type type) {
    const unsigned choice = below(6);
    if (choice == 0) return {Expression::Kind::kConstant, type, constant(type), nullptr, {}};
    if (choice == 1) return {Expression::Kind::kSpecial, type, below(16), nullptr, {}};
    return {Expression::Kind::kVariable, type, variable_of(type), nullptr, {}};
  }
  std::uint64_t constant(Type type) {
    if (type == Type::kF32) return one_in(3) ? bits() : one_of(kHardFloats);
    if (type == Type::kF64) return one_in(3) ? bits() : one_of(kHardDoubles);
    return one_in(2) ? bits() >> below(60) : one_of(kHardIntegers);
  }
  Expression expression(Type type, unsigned depth) {
    if (depth == 0 || one_in(5)) return leaf(type);
    const std::vector<Operation>& operations = operations_of(type);
    const Operation& operation = operations[below(static_cast<unsigned>(operations.size()))];
    Expression made{Expression::Kind::kOperation, type, 0, &operation, {}};
    for (const Type operand : operation.operands) made.operands.push_back(expression(operand, depth - 1));
    return made;
  }

  std::vector<Statement> list(unsigned depth) {
    std::vector<Statement> made;
    const unsigned length = depth == 3 ? budget_ : 1 + below(4);
    while (made.size() < length && budget_ > 0) made.push_back(statement(depth));
    return made;
  }

  Kind kind(unsigned depth) {
    const auto share = [&](const Weight& weight) {
      if (weight.nested && depth < (weight.kind == Kind::kWalk ? 2 : 1)) return 0U;
      if (weight.kind == Kind::kWalk && walks_) return kWalks;
      return weight.kind == Kind::kExchange && options_.fences ? kFences : weight.weight;
    };
    unsigned total = 0;
    for (const Weight& weight : kWeights) total += share(weight);
    unsigned at = below(total);
    for (const Weight& weight : kWeights) {
      if (at < share(weight)) return weight.kind;
      at -= share(weight);
    }
    return Kind::kAssign;
  }

  Statement statement(unsigned depth) {
    --budget_;
    Statement made;
    made.kind = kind(depth);
    made.value = static_cast<std::uint32_t>(random_());
    made.together = !one_in(3);
    made.variable = variable();
    for (const Type operand : operands(made)) made.expressions.push_back(expression(operand, 1 + below(3)));
    for (unsigned i = bodies(made.kind); i > 0; --i)
      made.bodies.push_back(list(made.kind == Kind::kWalk ? 1 : depth - 1));
    return made;
  }

  unsigned bodies(Kind kind) {
    switch (kind) {
      case Kind::kIf:
        return 2 - below(2);
      case Kind::kSwitch:
        return 2 + below(3);
      case Kind::kWalk:
        return 2 + below(5);
      case Kind::kLoop:
      case Kind::kUntil:
        return 1;
      default:
        return 0;
    }
  }

  // The types of the expressions that a statement holds: what is written first, then indices and conditions.
  std::vector<Type> operands(const Statement& made) {
    const Type written = kVariables[made.variable].type;
    switch (made.kind) {
      case Kind::kAssign:
        return {written};
      case Kind::kIf:
      case Kind::kLoop:
      case Kind::kUntil:
      case Kind::kSwitch:
      case Kind::kWalk:
      case Kind::kBreak:
      case Kind::kContinue:
      case Kind::kReturn:
      case Kind::kLoad:
      case Kind::kVectorLoad:
      case Kind::kLocalLoad:
      case Kind::kVote:
        return {Type::kU32};
      case Kind::kVectorStore:
        return {Type::kU32, Type::kF32, Type::kS16, Type::kF64};
      case Kind::kLocalStore:
        return {Type::kU32, Type::kU32, Type::kF64, Type::kU8};
      case Kind::kCall:
        return {Type::kU32, Type::kS32, Type::kF32, Type::kU64};
      case Kind::kExchange:
      case Kind::kShuffle:
      case Kind::kNamedBarrier:
      case Kind::kTile:
        return {written, Type::kU32};
      case Kind::kReduce:
      case Kind::kMatch:
      case Kind::kTicket:
      case Kind::kLastBlock:
      case Kind::kAggregate:
      case Kind::kLock:
        return {Type::kU32};
      case Kind::kTexture:
      case Kind::kMatrix:
        return {Type::kU32, Type::kU32};
      case Kind::kAtomicOwn:
      case Kind::kAtomicCommon:
      case Kind::kCompareAndSwap:
        return {Type::kU32, Type::kU64};
      case Kind::kSynchronise:
        return {};
    }
    return {};
  }

  GeneratorOptions options_;
  std::mt19937 random_;
  unsigned budget_ = 0;
  bool walks_ = false;  // mostly
  Kernel kernel_;
};

unsigned count(const std::vector<Statement>& body) {
  unsigned statements = 0;
  for (const Statement& statement : body) {
    ++statements;
    for (const auto& inner : statement.bodies) statements += count(inner);
  }
  return statements;
}

}  // namespace

unsigned Kernel::statements() const {
  unsigned statements = count(body);
  for (const auto& function : functions) statements += count(function);
  return statements;
}

Kernel generate(std::uint32_t seed, const GeneratorOptions& options) { return Generator(seed, options).make(); }

}  // namespace warpfold::cuda_fuzz
