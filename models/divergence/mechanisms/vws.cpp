// SPDX-License-Identifier: Apache-2.0
// Variable warp sizing: a warp is a gang of narrow slices, each with a reconvergence stack and a front end of its own
// (Rogers, Johnson, O'Connor and Keckler, ISCA 2015). Slices that are at one place issue together, as a warp of full
// width does; at a branch that takes them to several places the gang splits, and in a cycle a scheduler issues as many
// gangs of any rows as find the lanes of their slices free.
//
// Gangs that split remember where their slices meet again: those that stand there, ready and not gone on, become one
// gang, and so do those that stand behind a barrier of the block. Nobody waits for others.
#include <algorithm>
#include <bit>
#include <vector>

#include "warpfold/common/error.h"
#include "warpfold/divergence/mixed_warp.h"
#include "warpfold/divergence/parts/warp/likely_points.h"
#include "warpfold/divergence/parts/warp/warp_stack.h"

namespace warpfold::divergence {
namespace {

constexpr unsigned kInstructionBits = 64;  // of a slice's buffer of one instruction

struct VwsParams {
  unsigned slice = 4;
  bool regang = true;
  unsigned table_entries = 16;
  static constexpr auto fields() {
    return std::tuple{
        field("slice", "lanes", &VwsParams::slice, 1, 64, "of a slice; as wide as a warp: PDOM"),
        flag("regang", &VwsParams::regang,
             "gangs that meet where they split, or behind a barrier, become one; false: what has split stays apart"),
        field(
            "table", "entries", &VwsParams::table_entries, 1, 64,
            "of a row, one for each split whose slices have not met; what finds no entry free meets at barriers only")};
  }

  unsigned slices(const Geometry& geometry) const { return std::max(1U, geometry.warp_size / slice); }
  // Gangs stay with the scheduler of their row.
  Shape shape(const Geometry& geometry) const {
    const unsigned rows = geometry.max_threads / geometry.warp_size, gangs = slices(geometry);
    if (gangs == 1) return {geometry.warp_size, rows};
    const unsigned each = (rows + geometry.schedulers - 1) / geometry.schedulers;
    return {geometry.warp_size, each * geometry.schedulers * gangs};
  }
  std::string why_not(const Geometry& core) const {
    if (core.warp_size % slice != 0) {
      return fmt::format("mechanism.slice = {}: does not divide a warp of {} lanes", slice, core.warp_size);
    }
    return slice == core.warp_size ? "" : takes_parts(core);
  }

  // A slice's stack has two pcs and its lanes; whom it goes with, its pc and its instruction are kept for each slice.
  Hardware hardware(const HardwareGeometry& geometry) const {
    const unsigned gangs = slices(geometry.core), all = geometry.rows() * gangs;
    Hardware hardware;
    hardware.storage = {
        {"slice stacks",
         table(all * geometry.stack_entries, 2 * kPcBits + slice),
         1,
         {{"warp_instructions"}, {"divergent_branches", 2}}},
        {"slice states", table(all, kPcBits + index_bits(gangs) + slice), 1, {{"warp_instructions", 2}}},
        {"slice instruction buffers", table(all, kInstructionBits), 1, {{"warp_instructions", 2}}}};
    if (regang) {
      hardware.storage.push_back({"gang table",
                                  table(geometry.rows() * table_entries, kPcBits + gangs),
                                  1,
                                  {{"vws_splits"}, {"vws_regangs"}}});
    }
    hardware.unknown = {{"stack control of slices", "rtl/warp_stack is as wide as a warp"},
                        {"decoders, scoreboards and operand paths of slices", kNoRtl}};
    return hardware;
  }
};

class Vws final : public Mechanism {
 public:
  // Slices that slip may be in different rounds of a loop.
  Vws(const VwsParams& params, const Geometry& geometry, Core& core)
      : Mechanism({.keeps_warps = params.slices(geometry) == 1,
                   .mixes_paths = params.slices(geometry) != 1,
                   .keeps_back = true,
                   .any_order = true,
                   .issues_parts = params.slices(geometry) != 1}),
        params_(params),
        core_(core),
        slices_(params.slices(geometry)),
        all_lanes_(geometry.warp_size == isa::kMaxLanes ? ~LaneMask{0} : (LaneMask{1} << geometry.warp_size) - 1),
        rows_(geometry.max_threads / geometry.warp_size),
        gangs_(geometry.max_warps),
        splits_(core.stats().counter("vws_splits", "gangs", "that a branch took to several places")),
        regangs_(core.stats().counter("vws_regangs", "gangs", "that became one with another")),
        full_(core.stats().counter("vws_full", "gangs", "that split without an entry of the table left")),
        most_(core.stats().counter("vws_gangs_max", "gangs", "most of a row", Combine::kMax)) {
    for (Row& row : rows_) row.slices.resize(slices_);
  }

  void kernel_started(const isa::Kernel& kernel) override { kernel_ = &kernel; }
  void kernel_ended() override {
    const bool none = std::all_of(rows_.begin(), rows_.end(),
                                  [](const Row& row) { return row.gangs.empty() && row.meetings.empty(); });
    check(none && parked_.inactive == 0 && parked_.reconverging == 0, "no gang outlives its kernel");
  }

  void block_started(const Block& block) override {
    core_.stack_depth(1);
    for (unsigned i = 0; i < block.rows(); ++i) {
      const unsigned index = block.first_row + i;
      Slices live = 0;
      for (unsigned s = 0; s < slices_; ++s) {
        const LaneMask threads = block.threads[i] & lanes_of(s);
        if (threads == 0) continue;
        rows_[index].slices[s].stack.start(threads, kernel_->end());
        live |= Slices{1} << s;
      }
      enter(index, live);
    }
  }
  void block_finished(const Block& /*block*/) override {}

  bool leaves_at(WarpId id, Pc next) const override {
    const Gang& gang = gangs_[id];
    if (slices_ == 1 || (next != gang.rpc && gang.rpc != isa::kNoPc && rows_[gang.row].meetings.empty())) return false;
    Pc first = isa::kNoPc;
    bool splits = false;
    for_each_slice(gang.slices, [&](unsigned s) {
      const Pc pc = behind(rows_[gang.row].slices[s].stack, next);
      splits |= first != isa::kNoPc && pc != first;
      first = pc;
    });
    return splits || meets(gang, first);
  }
  // Divided slices part by themselves, in place. Do slices go to several places?
  bool leaves_by(WarpId id, const Branch& branch, bool divides) const override {
    const Gang& gang = gangs_[id];
    if (slices_ == 1 || !divides) return false;
    Pc first = isa::kNoPc;
    bool leaves = false;
    for_each_slice(gang.slices, [&](unsigned s) {
      WarpStack after = rows_[gang.row].slices[s].stack;
      follow(after, branch);
      leaves |= first != isa::kNoPc && after.top().pc != first;
      first = after.top().pc;
    });
    return leaves || meets(gang, first);
  }

  void committed(WarpId id, Pc next) override {
    Gang& gang = gangs_[id];
    Warp& warp = core_.warp(id);
    const Row& row = rows_[gang.row];
    const bool behind_barrier = row.gangs.size() > 1 && kernel_->ops[warp.pc].kind == isa::Kind::kBarrier;
    if (next != gang.rpc && gang.rpc != isa::kNoPc && row.meetings.empty() && !behind_barrier) {
      warp.pc = next;
      return;
    }
    for_each_slice(gang.slices, [&](unsigned s) { stack_of(gang, s).go_on(next); });
    regroup(id, behind_barrier);
  }

  void branch_resolved(WarpId id, const Branch& branch) override {
    const LaneMask active = core_.warp(id).mask, taken = branch.taken & active;
    if (taken == 0 || taken == active) {
      committed(id, taken != 0 ? branch.target : branch.pc + 1);
      return;
    }
    const Gang& gang = gangs_[id];
    for_each_slice(gang.slices, [&](unsigned s) { core_.stack_depth(follow(stack_of(gang, s), branch)); });
    const Slices before = gang.slices;
    const unsigned row = gang.row;
    const Pc first = stack_of(gang, static_cast<unsigned>(std::countr_zero(before))).top().pc;
    bool splits = false;
    for_each_slice(before, [&](unsigned s) { splits |= stack_of(gang, s).top().pc != first; });
    if (splits) {
      ++splits_;
      remember(rows_[row], branch.reconvergence, before);
    }
    regroup(id, false);
  }

  void exited(WarpId id, LaneMask lanes, Pc next) override {
    Gang& gang = gangs_[id];
    Slices gone = 0;
    for_each_slice(gang.slices, [&](unsigned s) {
      WarpStack& stack = stack_of(gang, s);
      stack.exit(lanes & lanes_of(s), next);
      if (!stack.empty()) return;
      gone |= Slices{1} << s;
      count(rows_[gang.row].slices[s]);
    });
    gang.slices &= ~gone;
    forget(rows_[gang.row], isa::kNoPc, gone);
    regroup(id, false);
  }

  // A slice's stack runs its top first.
  LaneMask kept_back(WarpId carrier, const Warp& /*waiting*/, unsigned row) const override {
    const Gang& gang = gangs_[carrier];
    return gang.row == row ? lanes_of_all(gang.slices) & ~core_.warp(carrier).mask : 0;
  }
  unsigned entries_on_stack(WarpId id) const override {
    unsigned most = 0;
    for_each_slice(gangs_[id].slices, [&](unsigned s) {
      most = std::max(most, static_cast<unsigned>(rows_[gangs_[id].row].slices[s].stack.entries().size()));
    });
    return most;
  }
  Parked parked() const override { return parked_; }
  std::string waiting(unsigned /*block_slot*/) const override {
    return "none: a stack per slice keeps every live thread in its gang";
  }

  // Gangs are those that come next by slot, as turns go round.
  WarpId partner(const IssuedParts& parts, const WarpSet& ready, Cycle /*now*/) override {
    const LaneMask taken = whole_slices(parts.lanes);
    if (taken == all_lanes_) return kNoWarp;
    const auto fits_from = [&](WarpId from, WarpId end) {
      WarpId id = ready.next(from);
      while (id < end && (core_.warp(id).mask & taken) != 0) id = ready.next(id + 1);
      return id < end ? id : kNoWarp;
    };
    const WarpId behind_first = fits_from(parts.first + 1, kNoWarp);
    return behind_first != kNoWarp ? behind_first : fits_from(0, parts.first);
  }
  void issued(WarpId id, Cycle /*now*/) override {
    Gang& gang = gangs_[id];
    if (!gang.stands) return;
    gang.stands = false;
    forget(rows_[gang.row], core_.warp(id).pc, gang.slices);
  }

 private:
  using Slices = std::uint64_t;  // of a row, by bit
  struct Slice {
    WarpStack stack;
    Parked counted;  // of its threads, in parked_
  };
  // A warp of the buffer.
  struct Gang {
    unsigned row = 0;
    Slices slices = 0;
    Pc rpc = isa::kNoPc;  // of the tops of all its slices; kNoPc: they differ
    bool stands = false;  // where others may join it, since it has not issued there
  };
  // Slices that a branch took apart, and where they meet.
  struct Meeting {
    Pc pc = 0;
    Slices slices = 0;  // that have not gone on from there
  };
  struct Row {
    std::vector<Slice> slices;
    std::vector<WarpId> gangs;
    std::vector<Meeting> meetings;
  };

  LaneMask lanes_of(unsigned slice) const {
    const LaneMask first = params_.slice >= isa::kMaxLanes ? ~LaneMask{0} : (LaneMask{1} << params_.slice) - 1;
    return first << (slice * params_.slice);
  }
  LaneMask lanes_of_all(Slices slices) const {
    LaneMask lanes = 0;
    for_each_slice(slices, [&](unsigned s) { lanes |= lanes_of(s); });
    return lanes;
  }
  // The lanes of all slices that have some of these.
  LaneMask whole_slices(LaneMask lanes) const {
    LaneMask whole = 0;
    for (LaneMask rest = lanes; rest != 0; rest &= ~whole) {
      whole |= lanes_of(static_cast<unsigned>(std::countr_zero(rest)) / params_.slice);
    }
    return whole;
  }
  template <class Visit>
  static void for_each_slice(Slices slices, Visit visit) {
    for (Slices rest = slices; rest != 0; rest &= rest - 1) visit(static_cast<unsigned>(std::countr_zero(rest)));
  }
  WarpStack& stack_of(const Gang& gang, unsigned slice) { return rows_[gang.row].slices[slice].stack; }

  // Where a stack's top goes on, if it comes to `next`.
  static Pc behind(const WarpStack& stack, Pc next) {
    const std::vector<WarpStack::Entry>& entries = stack.entries();
    for (std::size_t top = entries.size() - 1; top > 0 && entries[top].rpc == next; --top) next = entries[top - 1].pc;
    return next;
  }
  // The slice does what the branch says; returns how deep its stack was then. All slices run the taken side first: were
  // it the smaller side of each, threads of one warp-wide operation would wait in one slice behind those of another.
  unsigned follow(WarpStack& stack, const Branch& branch) const {
    const LaneMask active = stack.top().mask, taken = branch.taken & active;
    if (taken != 0 && taken != active) return stack.diverge(without_likely_point(branch), BranchOrder::kTakenFirst);
    stack.go_on(taken != 0 ? branch.target : branch.pc + 1);
    return 0;
  }

  // --- Meetings of a row ---
  bool meets(const Gang& gang, Pc pc) const {
    const std::vector<Meeting>& all = rows_[gang.row].meetings;
    return std::any_of(all.begin(), all.end(),
                       [&](const Meeting& meeting) { return meeting.pc == pc && (meeting.slices & gang.slices) != 0; });
  }
  bool meet_at(const Row& row, Pc pc, Slices one, Slices other) const {
    return std::any_of(row.meetings.begin(), row.meetings.end(), [&](const Meeting& meeting) {
      return meeting.pc == pc && (meeting.slices & one) != 0 && (meeting.slices & other) != 0;
    });
  }
  // Slices that meet there already need no entry more (a loop that they leave one after the other).
  void remember(Row& row, Pc pc, Slices slices) {
    if (!params_.regang || pc == kernel_->end()) return;
    const bool known = std::any_of(row.meetings.begin(), row.meetings.end(), [&](const Meeting& meeting) {
      return meeting.pc == pc && (slices & ~meeting.slices) == 0;
    });
    if (known) return;
    if (row.meetings.size() == params_.table_entries) {
      ++full_;
      return;
    }
    row.meetings.push_back({pc, slices});
  }
  // The slices go on from `pc`, or have exited (kNoPc). Where one is left of a split, nobody comes to meet it.
  void forget(Row& row, Pc pc, Slices slices) {
    if (slices == 0) return;
    for (Meeting& meeting : row.meetings) {
      if (pc == isa::kNoPc || meeting.pc == pc) meeting.slices &= ~slices;
    }
    std::erase_if(row.meetings, [](const Meeting& meeting) { return std::popcount(meeting.slices) < 2; });
  }

  // --- Gangs ---
  // What the tops of slices make together; all of them are at one pc.
  Warp warp_of(unsigned index, Slices slices) const {
    const Row& row = rows_[index];
    const Pc pc = row.slices[static_cast<unsigned>(std::countr_zero(slices))].stack.top().pc;
    LaneMask mask = 0;
    for_each_slice(slices, [&](unsigned s) { mask |= row.slices[s].stack.top().mask; });
    return Warp::of_row(pc, static_cast<std::uint16_t>(index), mask);
  }
  void describe(WarpId id, unsigned index, Slices slices) {
    const Row& row = rows_[index];
    Gang& gang = gangs_[id];
    gang = {index, slices, row.slices[static_cast<unsigned>(std::countr_zero(slices))].stack.top().rpc, false};
    for_each_slice(slices, [&](unsigned s) {
      if (row.slices[s].stack.top().rpc != gang.rpc) gang.rpc = isa::kNoPc;
    });
  }
  WarpId enter(unsigned index, Slices slices) {
    const WarpId id = core_.insert(warp_of(index, slices), core_.scheduler_of_row(index));
    describe(id, index, slices);
    rows_[index].gangs.push_back(id);
    most_.raise_to(rows_[index].gangs.size());
    return id;
  }
  bool joins(unsigned index, Slices slices, bool behind_barrier) {
    Row& row = rows_[index];
    const Warp mine = warp_of(index, slices);
    for (const WarpId other : row.gangs) {
      const Gang& gang = gangs_[other];
      if (!gang.stands || core_.warp(other).pc != mine.pc) continue;
      if (!behind_barrier && !meet_at(row, mine.pc, slices, gang.slices)) continue;
      core_.warp(other).mask |= mine.mask;
      describe(other, index, slices | gang.slices);
      gangs_[other].stands = true;
      ++regangs_;
      return true;
    }
    return false;
  }
  // The gang's slices are where their stacks say: those at one place stay together.
  void regroup(WarpId id, bool behind_barrier) {
    const unsigned index = gangs_[id].row;
    Row& row = rows_[index];
    Slices rest = gangs_[id].slices;
    for_each_slice(rest, [&](unsigned s) { count(row.slices[s]); });
    gangs_[id].stands = false;
    bool has_warp = false;
    while (rest != 0) {
      const Pc pc = row.slices[static_cast<unsigned>(std::countr_zero(rest))].stack.top().pc;
      Slices together = 0;
      for_each_slice(rest, [&](unsigned s) {
        if (row.slices[s].stack.top().pc == pc) together |= Slices{1} << s;
      });
      rest &= ~together;
      const bool may_join = params_.regang && slices_ != 1;
      if (may_join && joins(index, together, behind_barrier)) continue;
      WarpId now = id;
      if (has_warp) {
        now = enter(index, together);
      } else {
        const Warp warp = warp_of(index, together);
        core_.warp(id).pc = warp.pc;
        core_.warp(id).mask = warp.mask;
        describe(id, index, together);
        has_warp = true;
      }
      gangs_[now].stands = may_join && (behind_barrier || meets(gangs_[now], pc));
    }
    if (has_warp) return;
    std::erase(row.gangs, id);
    core_.remove(id);
  }
  void count(Slice& slice) {
    const Parked now{static_cast<unsigned>(std::popcount(slice.stack.inactive())),
                     static_cast<unsigned>(std::popcount(slice.stack.reconverging()))};
    parked_.inactive += now.inactive - slice.counted.inactive;
    parked_.reconverging += now.reconverging - slice.counted.reconverging;
    slice.counted = now;
  }

  const VwsParams params_;
  Core& core_;
  const unsigned slices_;
  const LaneMask all_lanes_;
  const isa::Kernel* kernel_ = nullptr;
  std::vector<Row> rows_;
  std::vector<Gang> gangs_;  // by slot
  Parked parked_;
  Counter &splits_, &regangs_, &full_, &most_;
};

const Register<VwsParams, Vws> vws_registration(
    "vws", "variable warp sizing: a warp is a gang of narrow slices that split and meet again",
    "Rogers et al., ISCA 2015");

}  // namespace
}  // namespace warpfold::divergence
