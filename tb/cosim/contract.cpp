// SPDX-License-Identifier: Apache-2.0
#include "tb/cosim/contract.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>

#include "warpfold/divergence/mixed_warp.h"

namespace warpfold::cosim {

using divergence::Context;
using divergence::ContextTriple;
using divergence::LaneSource;
using isa::LaneMask;

namespace {

unsigned lowest(LaneMask lanes) { return static_cast<unsigned>(std::countr_zero(lanes)); }

LaneMask threads_of(const ContextTriple& contexts, isa::Pc place) {
  LaneMask threads = 0;
  for (const Context& one : contexts) threads |= one.place == place ? one.mask : 0;
  return threads;
}

}  // namespace

std::string broken_by(divergence::CompactionRequest& left, const CompactedWarp& warp) {
  if (warp.warp.mask == 0) return "a warp has threads";
  const unsigned rows = static_cast<unsigned>(left.threads.size());
  const unsigned first = warp.warp.row[lowest(warp.warp.mask)] - left.first_row;
  const LaneMask whole = first < rows ? left.threads[first] : 0;
  for (LaneMask rest = warp.warp.mask; rest != 0; rest &= rest - 1) {
    const unsigned lane = lowest(rest), row = warp.warp.row[lane] - left.first_row;
    if (row >= rows)
      return fmt::format("rows are those of the block (lane {} comes from row {} of {})", lane, row, rows);
    const LaneMask thread = LaneMask{1} << lane;
    if ((left.threads[row] & thread) == 0) {
      return fmt::format("each thread leaves once, in its lane (none is left in lane {} of row {})", lane, row);
    }
    left.threads[row] &= ~thread;
    if (!left.regroup && row != first) return "a request that does not regroup leaves row by row";
  }
  if (!left.regroup && warp.warp.mask != whole) return "a request that does not regroup leaves in whole rows";
  const bool all = std::all_of(left.threads.begin(), left.threads.end(), [](LaneMask row) { return row == 0; });
  if (warp.last == all) return "";
  return all ? "the last warp says so" : "the last warp leaves no thread behind";
}

void complete(CompactedWarp& warp, isa::Pc pc) {
  warp.warp.pc = pc;
  warp.warp.one_row = divergence::from_one_row(warp.warp);
}

std::string broken_by(const ContextTriple& contexts, const ContextTriple& sorted) {
  LaneMask seen = 0;
  for (unsigned i = 0; i < sorted.size(); ++i) {
    const Context& one = sorted[i];
    if (one.mask == 0) continue;
    if (i > 0 && sorted[i - 1].mask == 0) return "empty contexts are last";
    if (i > 0 && divergence::goes_before(one, sorted[i - 1])) return "the deeper and then the lower place goes first";
    if ((one.mask & seen) != 0) return "a thread is in one context";
    seen |= one.mask;
    if ((one.mask & ~threads_of(contexts, one.place)) != 0) return "a thread stays at its place";
    unsigned depth = 0;
    for (const Context& part : contexts) {
      const LaneMask both = part.mask & one.mask;
      if (both == 0) continue;
      if (both != part.mask) return "threads of a context stay together";
      depth = std::max(depth, part.depth);
    }
    if (one.depth != depth) return "a context is as deep as the deepest of its parts";
  }
  for (const Context& one : contexts) {
    if ((one.mask & ~seen) != 0) return "no thread is lost";
  }
  return "";
}

std::string PackingContract::broken_by(const std::vector<LaneSource>& sources, bool last) {
  const LaneMask before = done_;
  for (unsigned output = 0; output < sources.size(); ++output) {
    const LaneSource& source = sources[output];
    if (!source.enable) continue;
    const unsigned lane = source.quad * lanes_.unit_width + source.lane;
    if (source.lane >= lanes_.unit_width || lane >= lanes_.width || (lanes_.mask >> lane & 1) == 0) {
      return fmt::format("only active lanes are let through (lane {} of quad {} is none)", source.lane, source.quad);
    }
    if ((done_ >> lane & 1) != 0) return fmt::format("each lane goes through once (lane {} does again)", lane);
    if (!swizzles_ && source.lane != output) return "without a crossbar a lane stays in its place";
    done_ |= LaneMask{1} << lane;
  }
  if (done_ == before && lanes_.mask != 0) return "each cycle lets a lane through";
  if (last == (done_ == lanes_.mask)) return "";
  return last ? fmt::format("all lanes go through (0x{:x} do not)", lanes_.mask & ~done_) : "the last settings say so";
}

}  // namespace warpfold::cosim
