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
#include "warpfold/divergence/parts/slices/sliced_warps.h"
#include "warpfold/divergence/registry.h"

namespace warpfold::divergence {
namespace {

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

  SliceWidth width() const { return SliceWidth(slice); }
  Shape shape(const Geometry& geometry) const { return width().shape(geometry); }
  std::string why_not(const Geometry& core) const { return width().why_not(core); }
  // Whom a slice goes with is kept for each.
  Hardware hardware(const HardwareGeometry& geometry) const {
    const unsigned gangs = width().of_warp(geometry.core);
    Hardware hardware = width().hardware(geometry, index_bits(gangs));
    if (regang) {
      hardware.storage.push_back({"gang table",
                                  table(geometry.rows() * table_entries, kPcBits + gangs),
                                  1,
                                  {{"vws_splits"}, {"vws_regangs"}}});
    }
    return hardware;
  }
};

class Vws final : public SlicedWarps {
 public:
  Vws(const VwsParams& params, const Geometry& geometry, Core& core)
      : SlicedWarps(params.width().traits(geometry), params.width(), geometry, core),
        params_(params),
        meetings_(geometry.max_threads / geometry.warp_size),
        splits_(core.stats().counter("vws_splits", "gangs", "that a branch took to several places")),
        regangs_(core.stats().counter("vws_regangs", "gangs", "that became one with another")),
        full_(core.stats().counter("vws_full", "gangs", "that split without an entry of the table left")) {
    count_most(core.stats().counter("vws_gangs_max", "gangs", "most of a row", Combine::kMax));
  }

  void kernel_ended() override {
    SlicedWarps::kernel_ended();
    check(std::all_of(meetings_.begin(), meetings_.end(), [](const auto& of_row) { return of_row.empty(); }),
          "nobody is left to meet when a kernel ends");
  }

  bool leaves_at(WarpId id, Pc next) const override {
    const Gang& gang = gangs_[id];
    if (slices_ == 1 || goes_on_as_it_is(gang, next)) return false;
    const Next behind_it = behind(gang, next);
    return behind_it.splits || meets(gang, behind_it.pc);
  }
  void committed(WarpId id, Pc next) override {
    const Gang& gang = gangs_[id];
    Warp& warp = core_.warp(id);
    const bool behind_barrier = gangs_of(gang.row).size() > 1 && kernel_->ops[warp.pc].kind == isa::Kind::kBarrier;
    if (!behind_barrier && goes_on_as_it_is(gang, next)) {
      warp.pc = next;
      return;
    }
    go_on(gang, next);
    regroup(id, behind_barrier);
  }
  void issued(WarpId id, Cycle /*now*/) override {
    Gang& gang = gangs_[id];
    if (!gang.stands) return;
    gang.stands = false;
    forget(gang.row, core_.warp(id).pc, gang.slices);
  }

 private:
  // Slices that a branch took apart, and where they meet.
  struct Meeting {
    Pc pc = 0;
    Slices slices = 0;  // that have not gone on from there
  };

  void started(unsigned row, Slices live) override { enter(row, live); }
  void regroup(WarpId id) override { regroup(id, false); }
  void split_by(const Branch& branch, unsigned row, Slices before) override {
    ++splits_;
    remember(meetings_[row], branch.reconvergence, before);
  }
  void gone(unsigned row, Slices slices) override { forget(row, isa::kNoPc, slices); }
  bool meets(const Gang& gang, Pc pc) const override {
    const std::vector<Meeting>& all = meetings_[gang.row];
    return std::any_of(all.begin(), all.end(),
                       [&](const Meeting& meeting) { return meeting.pc == pc && (meeting.slices & gang.slices) != 0; });
  }

  // Nothing pops, and nobody of the row meets others.
  bool goes_on_as_it_is(const Gang& gang, Pc next) const {
    return next != gang.rpc && gang.rpc != isa::kNoPc && meetings_[gang.row].empty();
  }
  bool meet_at(unsigned row, Pc pc, Slices one, Slices other) const {
    const std::vector<Meeting>& all = meetings_[row];
    return std::any_of(all.begin(), all.end(), [&](const Meeting& meeting) {
      return meeting.pc == pc && (meeting.slices & one) != 0 && (meeting.slices & other) != 0;
    });
  }
  // Slices that meet there already need no entry more (a loop that they leave one after the other).
  void remember(std::vector<Meeting>& meetings, Pc pc, Slices slices) {
    if (!params_.regang || pc == kernel_->end()) return;
    const bool known = std::any_of(meetings.begin(), meetings.end(), [&](const Meeting& meeting) {
      return meeting.pc == pc && (slices & ~meeting.slices) == 0;
    });
    if (known) return;
    if (meetings.size() == params_.table_entries) {
      ++full_;
      return;
    }
    meetings.push_back({pc, slices});
  }
  // The slices go on from `pc`, or have exited (kNoPc). Where one is left of a split, nobody comes to meet it.
  void forget(unsigned row, Pc pc, Slices slices) {
    if (slices == 0) return;
    for (Meeting& meeting : meetings_[row]) {
      if (pc == isa::kNoPc || meeting.pc == pc) meeting.slices &= ~slices;
    }
    std::erase_if(meetings_[row], [](const Meeting& meeting) { return std::popcount(meeting.slices) < 2; });
  }

  bool joins(unsigned row, Slices slices, bool behind_barrier) {
    const Pc pc = pc_of(row, slices);
    for (const WarpId other : gangs_of(row)) {
      const Gang& gang = gangs_[other];
      if (!gang.stands || core_.warp(other).pc != pc) continue;
      if (!behind_barrier && !meet_at(row, pc, slices, gang.slices)) continue;
      join(other, slices);
      ++regangs_;
      return true;
    }
    return false;
  }
  void regroup(WarpId id, bool behind_barrier) {
    const bool may_join = params_.regang && slices_ != 1;
    place(
        id, false, [&](unsigned row, Slices slices) { return may_join && joins(row, slices, behind_barrier); },
        [&](WarpId now) {
          gangs_[now].stands = may_join && (behind_barrier || meets(gangs_[now], core_.warp(now).pc));
        });
  }

  const VwsParams params_;
  std::vector<std::vector<Meeting>> meetings_;  // by row
  Counter &splits_, &regangs_, &full_;
};

const Register<VwsParams, Vws> vws_registration(
    "vws", "variable warp sizing: a warp is a gang of narrow slices that split and meet again",
    "Rogers et al., ISCA 2015");

}  // namespace
}  // namespace warpfold::divergence
