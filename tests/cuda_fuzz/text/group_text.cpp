// SPDX-License-Identifier: Apache-2.0
// Groups of threads within a block: teams of whole warps, which barriers with names are for, and tiles of cooperative
// groups.
#include "tests/cuda_fuzz/text/kernel_text.h"

namespace warpfold::cuda_fuzz {

using Level = Scope::Level;

// Barriers with a count are of whole warps: none may have ended, here or in an earlier turn of a loop.
void KernelText::named_barrier(const Statement& statement, const Scope& scope) {
  if (scope.level != Level::kBlock) return;
  const bool all_there = !returned_ && (kernel_.meetings == Meetings::kWarps || scope.top);
  const unsigned form = statement.value % 4;
  if (form == 0 || !all_there) return line(scope, "bar_sync({}u);", 1 + (statement.value >> 4) % 15);
  if (form == 1 && kernel_.roles) return roles(statement, scope);
  team(statement, scope);
}

// Teams exchange values, or count for how many of them something holds. The barriers are free again when the whole
// block has met: teams of another size may want them.
void KernelText::team(const Statement& statement, const Scope& scope) {
  const unsigned threads = kernel_.shape.block_threads(), id = fresh();
  unsigned size = 32u << (statement.value >> 4) % 3;
  while (threads > 15 * size) size *= 2;  // each has a barrier of its own
  line(scope, "const u32 first{0} = t / {1}u * {1}u, team{0} = min({1}u, {2}u - first{0});", id, size, threads);
  const std::string barrier = fmt::format("1 + t / {}u, (team{} + 31) / 32 * 32", size, id);
  const std::string other = text(statement.expressions[1], scope);
  if ((statement.value & 0x100) != 0) {
    line(scope, "{}", assignment(statement.variable, fmt::format("bar_count({}, ({} & 1u) != 0)", barrier, other)));
  } else {
    const std::string places = array("more_places");
    const char* const type = name_of(kVariables[statement.variable].type);
    line(scope, "{}", put(type, places, text(statement.expressions[0], scope)));
    line(scope, "bar_sync({});", barrier);
    line(scope, "{}",
         assignment(statement.variable,
                    fmt::format("*reinterpret_cast<{0}*>(&{1}[first{2} + {3} % team{2}])", type, places, id, other)));
  }
  line(scope, "__syncthreads();");
}

// Every second warp leaves values and goes on, the others wait for them.
void KernelText::roles(const Statement& statement, const Scope& scope) {
  const unsigned threads = kernel_.shape.block_threads(), id = fresh();
  const std::string places = array("more_places");
  const std::string barrier = fmt::format("{}u, {}u", 1 + (statement.value >> 4) % 15, (threads + 31) / 32 * 32);
  const std::string takes = fmt::format("/ 32 % 2 == {}u", (statement.value >> 8) % 2);
  const char* const type = name_of(kVariables[statement.variable].type);
  line(scope, "const u32 from{} = {} % {}u;", id, text(statement.expressions[1], scope), threads);
  line(scope, "if (t {}) {{", takes);
  line(scope, "  bar_sync({});", barrier);
  line(scope, "  if (!(from{} {})) {}", id, takes,
       assignment(statement.variable, fmt::format("*reinterpret_cast<{}*>(&{}[from{}])", type, places, id)));
  line(scope, "}} else {{");
  line(scope, "  {}", put(type, places, text(statement.expressions[0], scope)));
  line(scope, "  bar_arrive({});", barrier);
  line(scope, "}}");
  line(scope, "__syncthreads();");
}

// Where some of a warp are elsewhere, only those do it whose whole tile is there. `here`: the lanes of the tile that
// are, without those that a block's last warp lacks and those that have ended, whom collectives may name.
void KernelText::tile(const Statement& statement, const Scope& scope) {
  const unsigned size = 1u << (statement.value >> 4) % 6, id = fresh();
  const bool whole_warps = scope.named == "0xffffffffu";
  line(scope, "{{");
  Scope inner = scope;
  ++inner.indent;
  line(inner, "const auto tile{} = cg::tiled_partition<{}>({});", id, size,
       (statement.value & 0x800) != 0 ? "cg::this_thread_block()" : "cg::tiled_partition<32>(cg::this_thread_block())");
  line(inner, "const u32 here{} = group(t & 31, {}u) & {};", id, size, scope.mask);
  if (!whole_warps) line(inner, "if (here{} == (group(t & 31, {}u) & all)) {{", id, size);
  ++inner.indent;
  switch (statement.value % 4) {
    case 0:
      tile_exchange(statement, inner, id);
      break;
    case 1:
      tile_shuffle(statement, inner, id, size);
      break;
    case 2:
      tile_vote(statement, inner, id);
      break;
    default:
      tile_reduce(statement, inner, id, size);
  }
  if (!whole_warps) line(scope, "  }}");
  line(scope, "}}");
}

void KernelText::tile_exchange(const Statement& statement, const Scope& scope, unsigned id) {
  const std::string places = array("more_places");
  const char* const type = name_of(kVariables[statement.variable].type);
  line(scope, "{}", put(type, places, text(statement.expressions[0], scope)));
  line(scope, "tile{}.sync();", id);
  line(scope, "{}",
       assignment(statement.variable, fmt::format("*reinterpret_cast<{}*>(&{}[(t & ~31u) + member(here{}, {})])", type,
                                                  places, id, text(statement.expressions[1], scope))));
  line(scope, "tile{}.sync();", id);
}

void KernelText::tile_shuffle(const Statement& statement, const Scope& scope, unsigned id, unsigned size) {
  struct Form {
    const char* function;
    const char* source;
  };
  static constexpr Form kForms[] = {{"shfl", "source_of_index"},
                                    {"shfl_up", "source_above"},
                                    {"shfl_down", "source_below"},
                                    {"shfl_xor", "source_across"}};
  const Form& form = kForms[(statement.value >> 8) % std::size(kForms)];
  const char* const type = name_of(kVariables[statement.variable].type);
  line(scope, "const u32 k{} = {} % {}u;", id, text(statement.expressions[1], scope), size);
  line(scope, "const {0} x{1} = ({0}){2};", type, id, text(statement.expressions[0], scope));
  line(scope, "const {0} y{1} = tile{1}.{2}(x{1}, k{1});", type, id, form.function);
  line(scope, "{}",
       assignment(statement.variable,
                  fmt::format("from_member(here{0}, {1}(t & 31, k{0}, {2}u), y{0}, x{0})", id, form.source, size)));
}

void KernelText::tile_vote(const Statement& statement, const Scope& scope, unsigned id) {
  static constexpr const char* kForms[] = {"(u32)(tile{0}.any({1}) != 0)",
                                           "(u32)(tile{0}.all({1}) != 0)",
                                           "tile{0}.ballot({1})",
                                           "tile{0}.match_any({1})",
                                           "tile{0}.meta_group_rank() * 100 + tile{0}.meta_group_size() + ({1})",
                                           "tile{0}.thread_rank() * 100 + tile{0}.size() + ({1})"};
  const std::string condition =
      fmt::format("({} & {}u) != 0", text(statement.expressions[1], scope), 1 + (statement.value >> 8) % 3);
  line(scope, "{}",
       assignment(statement.variable,
                  fmt::format(fmt::runtime(kForms[(statement.value >> 10) % std::size(kForms)]), id, condition)));
}

void KernelText::tile_reduce(const Statement& statement, const Scope& scope, unsigned id, unsigned size) {
  static constexpr const char* kForms[] = {
      "for (u32 o = tile{0}.size() / 2; o > 0; o /= 2) {1} += tile{0}.shfl_xor({1}, o);",
      "for (u32 o = tile{0}.size() / 2; o > 0; o /= 2) {1} += tile{0}.shfl_down({1}, o);",
      "{1} = cg::reduce(tile{0}, {1}, cg::plus<u32>());",
      "{1} = cg::reduce(tile{0}, {1}, cg::greater<u32>());",
      "{1} = cg::reduce(tile{0}, {1}, cg::bit_xor<u32>());",
      "{1} = cg::inclusive_scan(tile{0}, {1});",
      "{1} = cg::exclusive_scan(tile{0}, {1});"};
  const std::string value = variable((statement.value >> 8) % 3);
  line(scope, "{} ^= {};", value, text(statement.expressions[1], scope));
  line(scope, "if (here{} == group(t & 31, {}u)) {{", id, size);
  line(scope, "  {}", fmt::format(fmt::runtime(kForms[(statement.value >> 10) % std::size(kForms)]), id, value));
  line(scope, "}}");
}

}  // namespace warpfold::cuda_fuzz
