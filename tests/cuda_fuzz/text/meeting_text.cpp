// SPDX-License-Identifier: Apache-2.0
#include "tests/cuda_fuzz/text/kernel_text.h"

namespace warpfold::cuda_fuzz {

using Kind = Statement::Kind;
using Level = Scope::Level;

void KernelText::meeting(const Statement& statement, const Scope& scope) {
  if (in_function() || kernel_.meetings == Meetings::kNone || scope.level == Level::kThread) return;
  switch (statement.kind) {
    case Kind::kExchange:
      return exchange(statement, scope);
    case Kind::kVote:
      return vote(statement, scope);
    case Kind::kLastBlock:
      return last_block(statement, scope);
    case Kind::kSynchronise:
      return synchronise(statement, scope);
    case Kind::kNamedBarrier:
      return named_barrier(statement, scope);
    default:
      break;
  }
  if (scope.mask.empty()) return;
  switch (statement.kind) {
    case Kind::kShuffle:
      return shuffle(statement, scope);
    case Kind::kReduce:
      return reduce(statement, scope);
    case Kind::kMatch:
      return match(statement, scope);
    case Kind::kAggregate:
      return aggregate(statement, scope);
    case Kind::kMatrix:
      return matrix(statement, scope);
    case Kind::kTile:
      return tile(statement, scope);
    default:
      break;
  }
}

// Each thread has eight bytes, whatever it puts there: threads elsewhere may be at another exchange, and may read it as
// another type, so that the bits of a NaN count.
std::string KernelText::put(const char* type, const std::string& places, const std::string& value) {
  return fmt::format("*reinterpret_cast<{0}*>(&{1}[t]) = one_nan(({0})({2}));", type, places, value);
}

void KernelText::exchange(const Statement& statement, const Scope& scope) {
  const bool block = scope.level == Level::kBlock && (scope.mask.empty() || (statement.value & 1) != 0);
  const bool room = kernel_.shape.block_threads() <= 512;  // for both, in 16 KiB
  const std::string places = array(room && (statement.value & 2) != 0 ? "places" : "more_places");
  const std::string barrier = block ? "__syncthreads();" : fmt::format("__syncwarp({});", scope.named);
  const std::string other = text(statement.expressions[1], scope);
  const std::string from = block ? fmt::format("{} % {}u", other, kernel_.shape.block_threads())
                                 : fmt::format("(t & ~31u) + member({}, {})", scope.mask, other);
  const char* const type = name_of(kVariables[statement.variable].type);
  const std::string put = this->put(type, places, text(statement.expressions[0], scope));
  const std::string take =
      assignment(statement.variable, fmt::format("*reinterpret_cast<{}*>(&{}[{}])", type, places, from));
  if (kernel_.both_sides && !block) {
    line(scope, "if (({} & 4u) != 0) {{ {} FENCE_OF_SIDE({}, one); {} }}", other, put, scope.named, take);
    line(scope, "else {{ {} FENCE_OF_SIDE({}, other); {} }}", put, scope.named, take);
  } else {
    line(scope, "{}", put);
    line(scope, "{}", barrier);
    line(scope, "{}", take);
  }
  line(scope, "{}", barrier);
}

void KernelText::vote(const Statement& statement, const Scope& scope) {
  static constexpr const char* kBlockForms[] = {"__syncthreads_count({0})", "(u32)(__syncthreads_and({0}) != 0)",
                                                "(u32)(__syncthreads_or({0}) != 0)"};
  static constexpr const char* kWarpForms[] = {"(u32)(__any_sync({1}, {0}) != 0)", "(u32)(__all_sync({1}, {0}) != 0)",
                                               "__ballot_sync({1}, {0})", "__popc(__ballot_sync({1}, {0}))"};
  const std::string condition =
      fmt::format("({} & {}u) != 0", text(statement.expressions[0], scope), 1 + statement.value % 3);
  const bool block = scope.level == Level::kBlock && (scope.mask.empty() || (statement.value & 0x10) != 0);
  const unsigned pick = statement.value >> 8;
  const char* const form =
      block ? kBlockForms[pick % std::size(kBlockForms)] : kWarpForms[pick % std::size(kWarpForms)];
  line(scope, "{}", assignment(statement.variable, fmt::format(fmt::runtime(form), condition, scope.named)));
}

void KernelText::shuffle(const Statement& statement, const Scope& scope) {
  struct Form {
    const char* function;
    const char* source;
    const char* cast;
    unsigned mask;  // of the index
  };
  static constexpr Form kForms[] = {{"__shfl_sync", "source_of_index", "(s32)", 63},
                                    {"__shfl_up_sync", "source_above", "", 31},
                                    {"__shfl_down_sync", "source_below", "", 31},
                                    {"__shfl_xor_sync", "source_across", "(s32)", 31}};
  const Form& form = kForms[statement.value % std::size(kForms)];
  const unsigned width = 32u >> (statement.value >> 4) % 5 % 4;
  const Type type = kVariables[statement.variable].type;
  const char* const carried = bytes_of(type) < 4 ? "s32" : name_of(type);
  const unsigned id = fresh();
  line(scope, "const u32 k{} = {} & {}u;", id, text(statement.expressions[1], scope), form.mask);
  line(scope, "const {0} x{1} = ({0}){2};", carried, id, text(statement.expressions[0], scope));
  line(scope, "const {0} y{1} = {2}({3}, x{1}, {4}k{1}{5});", carried, id, form.function, scope.named, form.cast,
       width == 32 ? "" : fmt::format(", {}", width));
  line(scope, "{}",
       assignment(statement.variable, fmt::format("from_member({0}, {1}(t & 31, k{2}, {3}u), y{2}, x{2})", scope.mask,
                                                  form.source, id, width)));
}

void KernelText::reduce(const Statement& statement, const Scope& scope) {
  const std::string sum = variable(statement.value % 3);
  static constexpr const char* kForms[] = {"__shfl_xor_sync(0xffffffffu, {}, (s32)o)",
                                           "__shfl_down_sync(0xffffffffu, {}, o)"};
  line(scope, "{} ^= {};", sum, text(statement.expressions[0], scope));
  line(scope, "if ({} == 0xffffffffu) {{", scope.mask);
  line(scope, "  for (u32 o = 16; o > 0; o >>= 1) {} += {};", sum,
       fmt::format(fmt::runtime(kForms[statement.value >> 4 & 1]), sum));
  line(scope, "}}");
}

void KernelText::matrix(const Statement& statement, const Scope& scope) {
  static constexpr const char* kForms[] = {"product_of_halves<8>", "product_of_halves<16>", "product_of_bytes",
                                           "product_of_doubles"};
  line(scope, "if ({} == 0xffffffffu) {{", scope.mask);
  line(scope, "  {}",
       assignment(statement.variable,
                  fmt::format("{}({}, {})", kForms[statement.value % std::size(kForms)],
                              text(statement.expressions[0], scope), text(statement.expressions[1], scope))));
  line(scope, "}}");
}

void KernelText::match(const Statement& statement, const Scope& scope) {
  const char* const type = (statement.value & 1) != 0 ? "u32" : "u64";
  const std::string value =
      fmt::format("({})({} % {}u)", type, text(statement.expressions[0], scope), 1 + statement.value % 4);
  if ((statement.value & 0x10) != 0) {
    return line(scope, "{}",
                assignment(statement.variable, fmt::format("__match_any_sync({}, {})", scope.named, value)));
  }
  const unsigned id = fresh();
  line(scope, "s32 all{};", id);
  line(scope, "{}",
       assignment(statement.variable, fmt::format("__match_all_sync({}, {}, &all{})", scope.named, value, id)));
  line(scope, "{}", assignment(3, fmt::format("all{} != 0 ? 77 : 78", id)));
}

// The first of those who are there counts for all.
void KernelText::aggregate(const Statement& statement, const Scope& scope) {
  const std::string place = counters(statement, 32);
  const unsigned id = fresh();
  line(scope, "const u32 first{} = __ffs((s32){}) - 1;", id, scope.mask);
  line(scope, "u32 q{} = 0;", id);
  line(scope, "if ((t & 31) == first{0}) q{0} = atomicAdd(&{1}[28], (u32)__popc({2}));", id, place, scope.mask);
  line(scope, "q{0} = __shfl_sync({1}, q{0}, (s32)first{0}) + __popc({2} & ((1u << (t & 31)) - 1));", id, scope.named,
       scope.mask);
  line(scope, "atomicAdd(&{0}[29], q{1} * 2654435761u ^ (q{1} >> 3));", place, id);
}

void KernelText::last_block(const Statement& statement, const Scope& scope) {
  if (!scope.top || returned_ || last_block_) return;
  last_block_ = true;
  const unsigned blocks = kernel_.shape.blocks(), threads = kernel_.shape.block_threads();
  line(scope, "{}[g] = {};", array("left"), text(statement.expressions[0], scope));
  line(scope, "__threadfence();");
  line(scope, "__syncthreads();");
  line(scope, "if (t == 0) {} = atomicAdd(&{}[30], 1u) == {}u;", array("is_last"), array("common32"), blocks - 1);
  line(scope, "__syncthreads();");
  line(scope, "if (is_last != 0) {{");
  line(scope, "  u32 sum = 0;");
  line(scope, "  for (u32 i = 0; i < {}u; ++i) sum += const_cast<volatile u32*>(left)[i * {}u + t] * (i + 1);", blocks,
       threads);
  line(scope, "  {}[t] = sum;", array("sums"));
  line(scope, "}}");
  line(scope, "__syncthreads();");
}

void KernelText::synchronise(const Statement& statement, const Scope& scope) {
  const bool block = scope.level == Level::kBlock && (scope.mask.empty() || (statement.value & 1) != 0);
  if ((statement.value & 6) == 0) return line(scope, "__threadfence{}();", (statement.value & 8) != 0 ? "" : "_block");
  if (block) return line(scope, "__syncthreads();");
  line(scope, "__syncwarp({});", scope.named);
}

}  // namespace warpfold::cuda_fuzz
