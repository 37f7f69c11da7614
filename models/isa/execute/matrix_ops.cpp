// SPDX-License-Identifier: Apache-2.0
// mma among the threads of an architectural warp, wherever they are: in one warp or met at a rendezvous.
#include <bit>
#include <utility>

#include "warpfold/isa/execute/execute.h"
#include "warpfold/isa/execute/matrix_step.h"

namespace warpfold::isa {
namespace {

MatrixTile::Register& source_of(const MatrixStep& step, MatrixTile& tile, unsigned k) {
  const unsigned rows = step.two_rows ? 2 : 1;
  if (k < rows) return tile.a[k];
  return k == rows ? tile.b : tile.c[k - rows - 1];
}

}  // namespace

void Executor::gather(const MicroOp& op, LaneMask lanes, MatrixTile& tile) {
  const MatrixStep step = MatrixStep::unpack(op.offset);
  for (unsigned k = 0; k + 1 < op.s_count; ++k) {
    MatrixTile::Register& values = source_of(step, tile, k);
    const bool wide = (op.s_wide >> k & 1) != 0;
    const std::uint32_t* const low = source(op.s[k], source_[0]);
    const std::uint32_t* const high = wide ? source(static_cast<Word>(op.s[k] + 1), source_[1]) : nullptr;
    for (LaneMask rest = lanes; rest != 0; rest &= rest - 1) {
      const auto lane = static_cast<unsigned>(std::countr_zero(rest));
      values[architectural_lane(lane)] = low[lane] | (wide ? std::uint64_t{high[lane]} << 32 : 0);
    }
  }
}

void Executor::deliver(const MicroOp& op, const MatrixTile& tile, LaneMask lanes) {
  const LaneMask active = std::exchange(active_, lanes);
  LaneArray half{};
  for (unsigned k = 0; k < op.d_count; ++k) {
    const auto write = [&](Word word, unsigned shift) {
      for (LaneMask rest = lanes; rest != 0; rest &= rest - 1) {
        const auto lane = static_cast<unsigned>(std::countr_zero(rest));
        half[lane] = static_cast<std::uint32_t>(tile.d[k][architectural_lane(lane)] >> shift);
      }
      write_back(word, half.data());
    };
    if (op.d[k] == kNoWord) continue;
    write(op.d[k], 0);
    if ((op.d_wide >> k & 1) != 0) write(static_cast<Word>(op.d[k] + 1), 32);
  }
  active_ = active;
}

// Each architectural warp of those that a warp carries. Results are written once all of one's sources are read.
void Executor::matrix_steps(const MicroOp& op) {
  for (LaneMask rest = active_; rest != 0;) {
    const LaneMask group = warp_mates(rest);
    MatrixTile tile;
    gather(op, group, tile);
    multiply(MatrixStep::unpack(op.offset), tile);
    deliver(op, tile, group);
    rest &= ~group;
  }
}

void Executor::matrix_step(std::span<const Part> parts) {
  MatrixTile tile;
  const MicroOp& first = launch_->kernel->ops[parts.front().pc];
  for (const Part& part : parts) {
    begin(part.lanes);
    gather(launch_->kernel->ops[part.pc], part.lanes.mask, tile);
  }
  multiply(MatrixStep::unpack(first.offset), tile);
  for (const Part& part : parts) {
    begin(part.lanes);
    deliver(launch_->kernel->ops[part.pc], tile, part.lanes.mask);
  }
}

}  // namespace warpfold::isa
