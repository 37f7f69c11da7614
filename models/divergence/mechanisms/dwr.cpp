// SPDX-License-Identifier: Apache-2.0
// Dynamic warp resizing (Lashgar, Baniasadi and Khonsari, arXiv:1208.2374): slices of a warp run by themselves, each
// with a reconvergence stack of its own, and meet only to access memory, where they are one warp for that instruction.
//
// A slice that comes to a load or store that coalesces waits there for its partners, the live slices of its row, until
// all have come or cannot come: they wait for others at a barrier or a collective. Who has come goes as one warp. It
// goes also when a partner comes to another such place first, or after `patience` cycles. Such a meeting was fruitless,
// as was one whose access asks for as many lines as its slices would have asked for one by one. Nobody waits any more
// at places that have had three of them.
#include <bit>
#include <deque>
#include <vector>

#include "warpfold/common/error.h"
#include "warpfold/divergence/parts/slices/ignore_list.h"
#include "warpfold/divergence/parts/slices/sliced_warps.h"
#include "warpfold/divergence/registry.h"

namespace warpfold {

namespace divergence {
// Slices that have met.
enum class PartAt : std::uint8_t { kAccess, kBranch };
}  // namespace divergence

template <>
struct Choices<divergence::PartAt> {
  static constexpr std::array names{"access", "branch"};
};

namespace divergence {
namespace {

struct DwrParams {
  unsigned slice = 8;
  PartAt part = PartAt::kAccess;
  unsigned ignore_entries = 32;
  unsigned patience = 128;
  bool spare = false;
  static constexpr auto fields() {
    return std::tuple{
        field("slice", "lanes", &DwrParams::slice, 1, 64, "of a slice; as wide as a warp: PDOM"),
        choice("part", &DwrParams::part,
               "where slices that have met part: behind the access, or at a branch that takes them to several places"),
        power_of_two("ignore", "entries", &DwrParams::ignore_entries, 1, 4096,
                     "of the list of places without use of meetings; two that share an entry replace each other"),
        field("patience", "cycles", &DwrParams::patience, 1, 65'536, "for which slices wait for others to come"),
        flag("spare", &DwrParams::spare,
             "they wait only as long as their scheduler has something else to issue; false: whatever it has")};
  }

  SliceWidth width() const { return SliceWidth(slice); }
  Shape shape(const Geometry& geometry) const { return width().shape(geometry); }
  std::string why_not(const Geometry& core) const { return width().why_not(core); }
  Traits traits(const Geometry& core) const {
    Traits traits = width().traits(core);
    traits.any_order = !traits.issues_parts;
    traits.hears_of_lines = traits.issues_parts;
    return traits;
  }
  // Of each row: where it meets, and who has come. Of each place: how many fruitless meetings it has had.
  Hardware hardware(const HardwareGeometry& geometry) const {
    Hardware hardware = width().hardware(geometry, 0);
    hardware.storage.push_back({"meetings",
                                table(geometry.rows(), kPcBits + width().of_warp(geometry.core)),
                                1,
                                {{"dwr_meetings"}, {"dwr_met"}}});
    const auto index = static_cast<unsigned>(std::countr_zero(ignore_entries));
    hardware.storage.push_back({"ignore list",
                                table(ignore_entries, kPcBits - index + index_bits(IgnoreList::kFruitless + 1)),
                                1,
                                {{"dwr_meetings"}}});
    hardware.logic.push_back({"ignore_list", {{"Entries", ignore_entries}, {"PcWidth", kPcBits}}});
    return hardware;
  }
};

class Dwr final : public SlicedWarps {
 public:
  Dwr(const DwrParams& params, const Geometry& geometry, Core& core)
      : SlicedWarps(params.traits(geometry), params.width(), geometry, core),
        params_(params),
        rows_(geometry.max_threads / geometry.warp_size),
        ignored_(params.ignore_entries),
        meetings_(core.stats().counter("dwr_meetings", "slices", "that waited at an access for others of their warp")),
        met_(core.stats().counter("dwr_met", "slices", "that came to one that waited, and went with it")),
        elsewhere_(core.stats().counter("dwr_elsewhere", "meetings", "ended by one who came to another access first")),
        late_(core.stats().counter("dwr_late", "meetings", "at which patience ran out")),
        dry_(core.stats().counter("dwr_dry", "meetings", "ended since the scheduler had nothing else to issue")),
        lines_(core.stats().counter("dwr_lines_saved", "lines", "that slices would have asked for one by one")),
        none_saved_(core.stats().counter("dwr_none_saved", "accesses", "of several slices that saved no line")),
        places_(core.stats().counter("dwr_ignored", "places", "where nobody waits any more")) {
    ignored_.observe(core.taps().ignore_list_observer(params.ignore_entries));
    count_most(core.stats().counter("dwr_gangs_max", "gangs", "most of a row", Combine::kMax));
  }

  void kernel_started(const isa::Kernel& kernel) override {
    SlicedWarps::kernel_started(kernel);
    ignored_.clear();
    coalesces_.assign(kernel.ops.size() + 1, false);
    for (Pc pc = 0; slices_ != 1 && pc < kernel.ops.size(); ++pc) coalesces_[pc] = coalesces(kernel.ops[pc]);
  }
  void kernel_ended() override {
    SlicedWarps::kernel_ended();
    opened_.clear();
  }

  bool leaves_at(WarpId id, Pc next) const override {
    const Gang& gang = gangs_[id];
    if (slices_ == 1) return false;
    if (parts_here(gang)) return true;
    if (next != gang.rpc && gang.rpc != isa::kNoPc) return meets(gang, next);
    const Next behind_it = behind(gang, next);
    return behind_it.splits || meets(gang, behind_it.pc);
  }
  void committed(WarpId id, Pc next) override {
    const Gang& gang = gangs_[id];
    rows_[gang.row].waiting &= ~gang.slices;
    if (next != gang.rpc && gang.rpc != isa::kNoPc && !parts_here(gang) && !coalesces_[next]) {
      core_.warp(id).pc = next;
      return;
    }
    go_on(gang, next);
    regroup(id);
  }
  void exited(WarpId id, LaneMask lanes, Pc next) override {
    const unsigned row = gangs_[id].row;
    SlicedWarps::exited(id, lanes, next);
    go_if_all_came(row);
  }
  // A gang waits as it is, and nobody waits for it.
  bool gives_up(WarpId id) override {
    const unsigned row = gangs_[id].row;
    rows_[row].waiting |= gangs_[id].slices;
    go_if_all_came(row);
    return false;
  }

  void accessed(WarpId id, std::span<const LaneMask> lines) override {
    if (!gangs_[id].several()) return;
    std::size_t alone = 0;
    for (const LaneMask lanes : lines) alone += static_cast<unsigned>(std::popcount(width_.with(lanes)));
    lines_ += alone - lines.size();
    if (alone != lines.size()) return;
    ++none_saved_;
    was_fruitless(core_.warp(id).pc);
  }

  void running_dry(unsigned scheduler, Cycle /*now*/) override {
    if (!params_.spare) return;
    for (const Opened& opened : opened_) {
      Row& row = rows_[opened.row];
      if (row.pc == isa::kNoPc || row.meeting != opened.meeting) continue;
      if (core_.scheduler_of_row(opened.row) != scheduler) continue;
      ++dry_;
      go(row);
      return;
    }
  }

  Cycle tick(Cycle now) override {
    for (auto it = opened_.rbegin(); it != opened_.rend() && it->until == kNever; ++it) {
      it->until = now + params_.patience;
    }
    for (; !opened_.empty(); opened_.pop_front()) {
      const Opened& first = opened_.front();
      Row& row = rows_[first.row];
      if (row.pc == isa::kNoPc || row.meeting != first.meeting) continue;
      if (first.until > now) return first.until;
      ++late_;
      was_fruitless(row.pc);
      go(row);
    }
    return kNever;
  }

 private:
  struct Row {
    Pc pc = isa::kNoPc;  // where slices meet; kNoPc: nowhere
    WarpId gang = kNoWarp;
    Slices waiting = 0;         // at a barrier or a collective
    std::uint64_t meeting = 0;  // number of the one that is open
  };
  // By age, which is the order of their ends.
  struct Opened {
    unsigned row = 0;
    std::uint64_t meeting = 0;
    Cycle until = kNever;  // not yet told what time it is
  };

  static bool coalesces(const isa::MicroOp& op) {
    using isa::Space;
    if ((op.kind != isa::Kind::kLoad && op.kind != isa::Kind::kStore) || op.image.dimensions != 0) return false;
    return op.space == Space::kGlobal || op.space == Space::kLocal || op.space == Space::kTexture ||
           op.space == Space::kGeneric;
  }

  void started(unsigned row, Slices live) override {
    rows_[row].waiting = 0;
    if (coalesces_[0]) {
      enter(row, live);
    } else {
      for_each_slice(live, [&](unsigned s) { enter(row, Slices{1} << s); });
    }
  }
  bool parts_here(const Gang& gang) const { return params_.part == PartAt::kAccess && gang.several(); }
  bool meets(const Gang& gang, Pc pc) const override { return rows_[gang.row].pc == pc; }
  void regroup(WarpId id) override {
    place(
        id, params_.part == PartAt::kAccess,
        [&](unsigned row, Slices slices) {
          if (rows_[row].pc == isa::kNoPc || rows_[row].pc != pc_of(row, slices)) return false;
          join(rows_[row].gang, slices);
          met_ += static_cast<unsigned>(std::popcount(slices));
          go_if_all_came(row);
          return true;
        },
        [&](WarpId now) { came(now); });
  }

  // A gang has come to an instruction by itself. Does it wait there?
  void came(WarpId id) {
    const Gang& gang = gangs_[id];
    const Pc pc = core_.warp(id).pc;
    Row& row = rows_[gang.row];
    const Slices others = live(gang.row) & ~gang.slices & ~row.waiting;
    if (!coalesces_[pc] || others == 0 || ignored_.has(pc)) return;
    if (row.pc != isa::kNoPc) {
      ++elsewhere_;
      was_fruitless(row.pc);
      go(row);
    }
    meetings_ += static_cast<unsigned>(std::popcount(gang.slices));
    row.pc = pc;
    row.gang = id;
    gangs_[id].stands = true;
    opened_.push_back({gang.row, ++row.meeting, kNever});
    core_.hold(id, kUntilReleased);
  }
  void go_if_all_came(unsigned index) {
    Row& row = rows_[index];
    if (row.pc != isa::kNoPc && (live(index) & ~gangs_[row.gang].slices & ~row.waiting) == 0) go(row);
  }
  void go(Row& row) {
    row.pc = isa::kNoPc;
    gangs_[row.gang].stands = false;
    core_.release(row.gang);
  }
  void was_fruitless(Pc pc) {
    if (ignored_.fruitless(pc)) ++places_;
  }

  const DwrParams params_;
  std::vector<Row> rows_;
  IgnoreList ignored_;
  std::deque<Opened> opened_;
  std::vector<bool> coalesces_;  // by pc: a load or store at which slices may meet
  Counter &meetings_, &met_, &elsewhere_, &late_, &dry_, &lines_, &none_saved_, &places_;
};

const Register<DwrParams, Dwr> dwr_registration(
    "dwr", "dynamic warp resizing: slices of a warp run by themselves and meet to access memory",
    "Lashgar, Baniasadi and Khonsari, arXiv:1208.2374");

}  // namespace
}  // namespace divergence
}  // namespace warpfold
