// SPDX-License-Identifier: Apache-2.0
#include "warpfold/divergence/parts/warp/warp_paths.h"

#include <algorithm>
#include <bit>
#include <utility>

#include "warpfold/common/error.h"
#include "warpfold/divergence/parts/parked.h"
#include "warpfold/isa/memory_ops.h"

namespace warpfold::divergence {

namespace {

std::uint64_t count_of(LaneMask lanes) { return static_cast<std::uint64_t>(std::popcount(lanes)); }

}  // namespace

// Side by side, paths stay with the scheduler of their row.
Shape PathRules::shape(const Geometry& geometry) const {
  const unsigned rows = geometry.max_threads / geometry.warp_size, paths = at_once_of(geometry.warp_size);
  if (paths == 1) return {geometry.warp_size, rows};
  return {geometry.warp_size, (rows + geometry.schedulers - 1) / geometry.schedulers * geometry.schedulers * paths};
}

// With one path at once a warp per row shows the one that has the turn, as a stack's warp shows its top. Paths that
// merge may be in different rounds of a loop.
WarpPaths::WarpPaths(const PathRules& rules, const Geometry& geometry, Core& core, const std::string& name)
    : Mechanism({.keeps_warps = rules.at_once_of(geometry.warp_size) == 1,
                 .mixes_paths = rules.merge != PathMerge::kNever,
                 .keeps_back = true,
                 .any_order = rules.freely && !rules.runs_dry}),
      rules_(rules),
      core_(core),
      at_once_(rules.at_once_of(geometry.warp_size)),
      in_place_(traits.keeps_warps),
      rows_(geometry.max_threads / geometry.warp_size),
      row_at_(geometry.max_warps, 0),
      waits_(core.stats().counter(name + "_waits", "paths", "that came to where they meet others")),
      merged_(
          core.stats().counter(name + "_merges", "paths", "that became one with another before their meeting point")),
      most_paths_(core.stats().counter(name + "_max_paths", "paths", "of a warp that could run at the same time",
                                       Combine::kMax)),
      most_points_(core.stats().counter(name + "_max_meeting_points", "entries",
                                        "points at which threads of a warp were to meet at the same time",
                                        Combine::kMax)) {}

void WarpPaths::kernel_started(const isa::Kernel& kernel) { kernel_ = &kernel; }

void WarpPaths::kernel_ended() {
  const bool none = std::all_of(rows_.begin(), rows_.end(), [](const Row& row) {
    return row.paths.empty() && row.given_up.empty() && row.points.in_use() == 0;
  });
  check(none && parked_.inactive == 0 && parked_.reconverging == 0, "no path outlives its kernel");
}

void WarpPaths::block_started(const Block& block) {
  for (unsigned i = 0; i < block.rows(); ++i) {
    Row& row = rows_[block.first_row + i];
    row.live = block.threads[i];
    Path path;
    path.mask = row.live;
    row.paths.assign(1, path);
    fill(row);
  }
}

std::size_t WarpPaths::place_of(const Row& row, WarpId id) {
  std::size_t place = 0;
  while (row.paths[place].slot != id) ++place;
  return place;
}

LaneMask WarpPaths::yielded_of(const Row& row) {
  LaneMask yielded = 0;
  for (const Path& path : row.paths) yielded |= path.yielded ? path.mask : 0;
  return yielded;
}

WarpPaths::Path WarpPaths::take_out(Row& row, std::size_t place) {
  Path path = row.paths[place];
  path.in_flight = false;
  row.paths.erase(row.paths.begin() + static_cast<std::ptrdiff_t>(place));
  return path;
}

bool WarpPaths::leaves_at(WarpId id, Pc next) const {
  const Row& row = row_of(id);
  // In place another path has the warp next; where all others have been given up, nobody has.
  if (in_place_ && row.paths.size() > 1) return false;
  const Path& path = row.paths[place_of(row, id)];
  // Until a branch commits, others of the row may come to where it leads.
  const bool may_join = !rules_.freely || rules_.merge != PathMerge::kNever;
  if (!in_place_ && may_join && kernel_->ops[path.pc].kind == isa::Kind::kBranch) return path.mask != row.live;
  unsigned at = path.point;
  LaneMask come = path.mask;
  while (at != kNone && row.points[at].pc == next) {
    if ((row.points[at].pending & ~come & ~yielded_of(row)) != 0) return true;
    if (!rules_.newest_first && row.shown < row.paths.size()) return true;  // their turn comes before that of all
    come |= row.points[at].arrived();
    at = row.points[at].outer;
  }
  return standing(row, next, at, id) != row.paths.size();
}

void WarpPaths::committed(WarpId id, Pc next) {
  Row& row = row_of(id);
  if (row.paths.size() == 1 && row.paths.front().point == kNone) {
    row.paths.front().in_flight = false;
    row.paths.front().pc = core_.warp(id).pc = next;
    return;
  }
  const std::size_t place = place_of(row, id);
  Path path = take_out(row, place);
  path.pc = next;
  come(row, path, place, Way::kFallsThrough);
  let_kept_go(row);
  fill(row);
}

void WarpPaths::branch_resolved(WarpId id, const Branch& branch) {
  Row& row = row_of(id);
  const std::size_t place = place_of(row, id);
  Path path = take_out(row, place);
  const LaneMask taken = branch.taken & path.mask;
  if (taken != 0 && taken != path.mask) {
    vacate(row, path);
    part(row, path, branch);
  } else {
    path.pc = taken != 0 ? branch.target : branch.pc + 1;
    const Way jumps = branch.target <= branch.pc ? Way::kJumpsBack : Way::kJumps;
    come(row, path, place, taken != 0 ? jumps : Way::kFallsThrough);
  }
  settle(row);
  let_kept_go(row);
  fill(row);
}

void WarpPaths::part(Row& row, Path path, const Branch& branch) {
  path.point = point_of_sides(row, path, branch);
  Path taken = path, other = path;
  taken.mask &= branch.taken;
  taken.pc = branch.target;
  other.mask &= ~branch.taken;
  other.pc = branch.pc + 1;
  const bool taken_first = runs_taken_first(rules_.branch_order, static_cast<unsigned>(std::popcount(taken.mask)),
                                            static_cast<unsigned>(std::popcount(other.mask)));
  const bool both_go = taken.pc != branch.reconvergence && other.pc != branch.reconvergence;
  const bool held = both_go && !side_by_side(row, path, branch);
  (taken_first ? other : taken).held = held;
  if (held) ++row.held;
  // What comes last into the row is its newest.
  for (const bool is_taken : {taken_first != rules_.newest_first, taken_first == rules_.newest_first}) {
    const Way jumps = branch.target <= branch.pc ? Way::kJumpsBack : Way::kJumps;
    come(row, is_taken ? taken : other, entrance(row), is_taken ? jumps : Way::kJumps);
  }
}

// PTX has no instruction that names a region's end before it begins, as BSSY does. It is remembered when threads of the
// region first part, which comes to the same for all that follows and costs no entry where they never do.
unsigned WarpPaths::point_of_sides(Row& row, const Path& path, const Branch& branch) {
  const Pc pc = branch.reconvergence;
  const bool both_go = branch.target != pc && branch.pc + 1 != pc;
  if (pc == meets_at(row, path) && !(rules_.youngest_only && both_go)) return path.point;
  const unsigned point = point_for(row, path, pc);
  most_points_.raise_to(row.points.in_use());
  return point;
}

void WarpPaths::exited(WarpId id, LaneMask lanes, Pc next) {
  Row& row = row_of(id);
  const std::size_t place = place_of(row, id);
  Path path = take_out(row, place);
  row.live &= ~lanes;
  row.points.exit(lanes);
  path.mask &= ~lanes;
  path.pc = next;
  if (path.mask == 0) {
    vacate(row, path);
  } else {
    come(row, path, place, Way::kFallsThrough);
  }
  settle(row);
  let_kept_go(row);
  fill(row);
}

// The path, which is not in its row's list, comes to its pc: it waits there, becomes one with another, or goes on.
void WarpPaths::come(Row& row, Path path, std::size_t place, Way way) {
  while (path.point != kNone && row.points[path.point].pc == path.pc) {
    if (!meet(row, path)) return;
    if (!rules_.newest_first) place = row.paths.size();
    way = Way::kJumps;
  }
  if (way == Way::kJumpsBack && yields(path)) {
    path.yielded = true;
    vacate(row, path);
    row.paths.push_back(path);
    return;
  }
  if ((way != Way::kFallsThrough || rules_.merge == PathMerge::kAnywhere) && join(row, path, place)) {
    vacate(row, path);
    return;
  }
  if (path.slot != kNoWarp) {
    Warp& warp = core_.warp(path.slot);
    warp.pc = path.pc;
    warp.mask = path.mask;
    if (way != Way::kFallsThrough && rules_.turn == PathSwitch::kBranch) place = row.shown - 1;
  }
  row.paths.insert(row.paths.begin() + static_cast<std::ptrdiff_t>(place), path);
  if (path.slot == kNoWarp) begun(row);
}

// The path comes to where its threads meet. True: the others are there, and it is all of them now.
bool WarpPaths::meet(Row& row, Path& path) {
  const unsigned at = path.point;
  ++waits_;
  row.points.arrive(at, path.mask, row.clock);
  vacate(row, path);
  if (!row.points.complete(at, yielded_of(row))) return false;
  release(row, at, path);
  return true;
}

// Those who wait at `at` become a path. Those who have not come have yielded.
void WarpPaths::release(Row& row, unsigned at, Path& path) {
  const MeetingPoints::Point met = row.points.end(at);
  for (Path& other : row.paths) {
    if (other.point == at) other.point = met.outer;
  }
  path = {};
  path.pc = met.pc;
  path.mask = met.arrived();
  path.point = met.outer;
}

// Another path yielded or threads exited: who waits may go on now. Once through the points is enough: what comes of one
// completes others only by arriving there, and meet() sees to that.
void WarpPaths::settle(Row& row) {
  for (unsigned at = 0; at < row.points.places(); ++at) {
    if (!row.points.used(at) || !row.points.complete(at, yielded_of(row))) continue;
    Path path;
    release(row, at, path);
    come(row, path, entrance(row), Way::kJumps);
  }
}

// Finds the path that stands at `pc` and can take in threads that meet others next at `point`.
std::size_t WarpPaths::standing(const Row& row, Pc pc, unsigned point, WarpId but) const {
  if (rules_.merge == PathMerge::kNever) return row.paths.size();
  // A warp at a collective may be on its way to it with something in flight, as long as it needs nobody else there.
  const bool collective = kernel_->ops[pc].collective;
  std::size_t place = 0;
  for (; place < row.paths.size(); ++place) {
    const Path& path = row.paths[place];
    const bool stands =
        !path.in_flight && !path.yielded && !path.held && (path.slot == kNoWarp || (path.slot != but && !collective));
    if (stands && path.pc == pc && path.point == point) break;
  }
  return place;
}

bool WarpPaths::join(Row& row, const Path& path, std::size_t place) {
  if (rules_.merge == PathMerge::kNever) return false;
  const std::size_t at = standing(row, path.pc, path.point, path.slot);
  const bool found = at != row.paths.size();
  came(row, path, found ? &row.paths[at] : nullptr);
  if (!found) return false;
  ++merged_;
  Path& other = row.paths[at];
  other.mask |= path.mask;
  other.back_edges = std::max(other.back_edges, path.back_edges);
  other.loads |= path.loads;
  if (other.slot != kNoWarp) core_.warp(other.slot).mask = other.mask;
  // The earlier of their two turns is the turn of both.
  if (place < at) {
    const auto begin = row.paths.begin();
    std::rotate(begin + static_cast<std::ptrdiff_t>(place), begin + static_cast<std::ptrdiff_t>(at),
                begin + static_cast<std::ptrdiff_t>(at) + 1);
  }
  return true;
}

void WarpPaths::vacate(Row& row, Path& path) {
  if (path.slot == kNoWarp) return;
  check(vacated_ == kNoWarp, "a mechanism is told about one warp at a time");
  vacated_ = std::exchange(path.slot, kNoWarp);
  --row.shown;
}

// Who runs goes before those whose side of a branch has its turn later. The newest of these come first.
void WarpPaths::let_held_go(Row& row) {
  LaneMask running = 0;
  for (const Path& path : row.paths) running |= path.held ? 0 : path.mask;
  for (Path& path : row.paths) {
    if (!path.held) continue;
    if ((running & (path.point != kNone ? row.points[path.point].pending : ~LaneMask{0})) != 0) continue;
    path.held = false;
    --row.held;
    running |= path.mask;
  }
}

// Paths without a warp get one, as many as may have one.
void WarpPaths::fill(Row& row) {
  if (row.held != 0) let_held_go(row);
  for (Path& path : row.paths) {
    if (row.shown == at_once_) break;
    if (path.slot == kNoWarp && !path.held) show(row, path);
  }
  if (vacated_ != kNoWarp) core_.remove(std::exchange(vacated_, kNoWarp));
  most_paths_.raise_to(row.paths.size() - row.held);
  count(row);
  changed(row);
}

void WarpPaths::show(Row& row, Path& path) {
  ++row.shown;
  if (vacated_ != kNoWarp) {
    path.slot = std::exchange(vacated_, kNoWarp);
    Warp& warp = core_.warp(path.slot);
    warp.pc = path.pc;
    warp.mask = path.mask;
    return;
  }
  const unsigned index = index_of(row);
  path.slot = core_.insert(Warp::of_row(path.pc, static_cast<std::uint16_t>(index), path.mask),
                           in_place_ ? kAnyScheduler : core_.scheduler_of_row(index));
  row_at_[path.slot] = index;
}

void WarpPaths::count(Row& row) {
  Parked now;
  for (const Path& path : row.paths) now.inactive += path.slot == kNoWarp ? count_of(path.mask) : 0;
  now.reconverging = count_of(row.points.arrived());
  recount(parked_, row.counted, now);
}

// A warp that is all of its row waits as it is: nobody else can come.
bool WarpPaths::gives_up(WarpId id) {
  Row& row = row_of(id);
  const std::size_t place = place_of(row, id);
  if (row.paths[place].mask == row.live) return false;
  row.given_up.push_back(take_out(row, place));
  vacate(row, row.given_up.back());
  core_.remove(std::exchange(vacated_, kNoWarp));
  let_kept_go(row);
  fill(row);
  return true;
}

// Once nobody of the row runs, who waits at the newest point for those alone who wait at a collective goes on without
// them, for these may wait for him: paths that became one may be of different rounds or levels, and other warps meet in
// other orders.
void WarpPaths::let_kept_go(Row& row) {
  if (!row.paths.empty()) return;
  LaneMask given_up = 0;
  for (const Path& path : row.given_up) given_up |= kernel_->ops[path.pc].collective ? path.mask : 0;
  if (given_up == 0) return;
  unsigned newest = kNone;
  for (unsigned at = 0; at < row.points.places(); ++at) {
    if (!row.points.used(at) || !row.points.complete(at, given_up)) continue;
    if (newest == kNone || row.points[at].begun > row.points[newest].begun) newest = at;
  }
  if (newest != kNone) go_without(row, newest);
}

// The warp may hold threads of several paths that waited; those that meet others elsewhere go on as a path each.
void WarpPaths::together(const Warp& warp) {
  Row& row = rows_[lowest_row(warp)];
  for (LaneMask rest = warp.mask; rest != 0;) {
    Path path;
    path.pc = warp.pc;
    for (Path& waited : row.given_up) {
      if ((waited.mask & rest) == 0 || (path.mask != 0 && path.point != waited.point)) continue;
      path.point = waited.point;
      path.mask |= waited.mask & rest;
      waited.mask &= ~path.mask;
    }
    check(path.mask != 0, "threads come back that were given up");
    rest &= ~path.mask;
    come(row, path, row.paths.size(), Way::kJumps);
  }
  std::erase_if(row.given_up, [](const Path& path) { return path.mask == 0; });
  fill(row);
}

LaneMask WarpPaths::kept_back(WarpId /*carrier*/, const Warp& waiting, unsigned row) const {
  return rows_[row].points.kept_back_by(lanes_of_row(waiting, row));
}

void WarpPaths::prefer(WarpSet& ready, Cycle /*now*/) {
  if (in_place_ || rules_.freely) return;
  for (WarpId id = ready.next(0); id != kNoWarp; id = ready.next(id + 1)) {
    const Row& row = row_of(id);
    if (row.paths.size() > 1 && turn_of(row, ready) != id) ready.erase(id);
  }
}

// Which of a row's ready warps may issue.
WarpId WarpPaths::turn_of(const Row& row, const WarpSet& ready) const {
  const auto begun = [&](const Path& path) { return path.point != kNone ? row.points[path.point].begun : 0; };
  std::uint64_t youngest = 0;
  for (const Path& path : row.paths) youngest = std::max(youngest, begun(path));
  for (const Path& path : row.paths) {
    if (path.slot == kNoWarp || (rules_.youngest_only && begun(path) != youngest)) continue;
    if (ready.contains(path.slot)) return path.slot;
    if (rules_.strict_turns && !(rules_.turn == PathSwitch::kStall && waits_for_memory(path))) return kNoWarp;
  }
  return kNoWarp;
}

// With a scoreboard per register it is known where a path is, not what it waits for: then any wait after an access
// counts.
bool WarpPaths::waits_for_memory(const Path& path) const {
  return path.in_flight ? isa::waits_on_memory(kernel_->ops[path.pc]) : path.loads;
}

void WarpPaths::issued(WarpId id, Cycle /*now*/) {
  Row& row = row_of(id);
  const std::size_t place = row.paths.size() == 1 ? 0 : place_of(row, id);
  ++row.clock;
  Path& path = row.paths[place];
  const bool others_stalled = rules_.turn == PathSwitch::kStall && place != 0;
  path.in_flight = true;
  path.yielded = false;
  path.loads = (path.loads && !others_stalled) || isa::waits_on_memory(kernel_->ops[path.pc]);
  const auto begin = row.paths.begin();
  if (rules_.turn == PathSwitch::kEvery)
    std::rotate(begin + static_cast<std::ptrdiff_t>(place), begin + static_cast<std::ptrdiff_t>(place) + 1,
                row.paths.end());
  if (others_stalled) std::rotate(begin, begin + static_cast<std::ptrdiff_t>(place), row.paths.end());
}

WarpPaths::Path* WarpPaths::path_at(WarpId id) {
  std::vector<Path>& paths = row_of(id).paths;
  const auto at = std::find_if(paths.begin(), paths.end(), [id](const Path& path) { return path.slot == id; });
  return at != paths.end() ? &*at : nullptr;
}

bool WarpPaths::divide(WarpId id, Pc stop) {
  const Divided went = core_.divide(id);
  if (went.lanes == 0) return false;
  Row& row = row_of(id);
  Path* const rest = path_at(id);
  check(rest != nullptr && went.next == next_of(*rest), "a warp divides where it goes on");
  if (stop != meets_at(row, *rest)) {
    rest->point = row.points.begin(stop, rest->point, rest->mask, row.clock);
    most_points_.raise_to(row.points.in_use());
  }
  Path early = *rest;
  early.pc = went.next;
  early.mask = went.lanes;
  early.slot = kNoWarp;
  early.in_flight = false;
  rest->mask &= ~went.lanes;
  row.paths.insert(row.paths.begin() + (rest - row.paths.data()), early);
  fill(row);
  return true;
}

void WarpPaths::let_silent_go(Cycle cycles, Cycle now, Counter& times) {
  for (Row& row : rows_) {
    row.clock = std::max(row.clock, now);
    for (unsigned at = 0; at < row.points.places() && row.points.in_use() != 0; ++at) {
      const MeetingPoints::Point& point = row.points[at];
      if (point.arrived() == 0 || row.clock - point.heard < cycles) continue;
      ++times;
      go_without(row, at);
      fill(row);
    }
  }
}

// Those who wait at `at` become a path. Those who have not come meet there by themselves.
void WarpPaths::go_without(Row& row, unsigned at) {
  const MeetingPoints::Point point = row.points[at];
  row.points.let_go(at, row.clock);
  Path path;
  path.pc = point.pc;
  path.mask = point.arrived();
  path.point = point.outer;
  come(row, path, entrance(row), Way::kJumps);
}

std::string WarpPaths::waiting(unsigned block_slot) const {
  unsigned inactive = 0, meeting = 0;
  for (unsigned row = 0; row < rows_.size(); ++row) {
    if (core_.block_of_row(row) != block_slot) continue;
    inactive += static_cast<unsigned>(rows_[row].counted.inactive);
    meeting += static_cast<unsigned>(rows_[row].counted.reconverging);
  }
  return fmt::format("{} where they meet others of their row, {} on paths whose turn has not come", meeting, inactive);
}

}  // namespace warpfold::divergence
