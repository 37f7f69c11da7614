// SPDX-License-Identifier: Apache-2.0
// Warps whose lanes hold threads of any rows: parts of them, and what two make together.
#pragma once

#include <bit>

#include "warpfold/divergence/registry.h"

namespace warpfold::divergence {

// The row of a warp's lowest thread: of all of them, where they come from one.
inline unsigned lowest_row(const Warp& warp) { return warp.row[static_cast<unsigned>(std::countr_zero(warp.mask))]; }

// Do the threads of a warp come from one row?
inline bool from_one_row(const Warp& warp) {
  if (warp.mask == 0) return true;
  const unsigned first = lowest_row(warp);
  for (LaneMask rest = warp.mask; rest != 0; rest &= rest - 1) {
    if (warp.row[static_cast<unsigned>(std::countr_zero(rest))] != first) return false;
  }
  return true;
}

// Lanes of a row that the warp, which is of one row, does not hold; none of another row.
inline LaneMask others_of_row(const Warp& warp, unsigned row) { return lowest_row(warp) == row ? ~warp.mask : 0; }

// Is there a thread that both hold?
inline bool share_threads(const Warp& one, const Warp& other) {
  const LaneMask both = one.mask & other.mask;
  if (both == 0) return false;
  if (one.one_row && other.one_row) return lowest_row(one) == lowest_row(other);
  for (LaneMask rest = both; rest != 0; rest &= rest - 1) {
    const auto lane = static_cast<unsigned>(std::countr_zero(rest));
    if (one.row[lane] == other.row[lane]) return true;
  }
  return false;
}

// The warp's lanes among some that hold threads of a row.
inline LaneMask lanes_of_row(const Warp& warp, unsigned row, LaneMask among = ~LaneMask{0}) {
  LaneMask lanes = 0;
  for (LaneMask rest = warp.mask & among; rest != 0; rest &= rest - 1) {
    if (warp.row[static_cast<unsigned>(std::countr_zero(rest))] == row) lanes |= rest & ~(rest - 1);
  }
  return lanes;
}

// Keeps only `lanes` of a warp.
inline void narrow(Warp& warp, LaneMask lanes) {
  warp.mask &= lanes;
  if (!warp.one_row) warp.one_row = from_one_row(warp);
}

// Takes `lanes` out of a warp.
inline Warp split(Warp& warp, LaneMask lanes) {
  Warp part = warp;
  narrow(part, lanes);
  narrow(warp, ~lanes);
  return part;
}

// Adds the threads of another warp, whose lanes are free in this one.
inline void widen(Warp& warp, const Warp& by) {
  for (LaneMask rest = by.mask; rest != 0; rest &= rest - 1) {
    const auto lane = static_cast<unsigned>(std::countr_zero(rest));
    warp.row[lane] = by.row[lane];
  }
  warp.mask |= by.mask;
  warp.one_row = from_one_row(warp);
}

// Calls visit(row, its lane's bit) for each thread in some of the warp's `lanes`.
template <class Visit>
void for_each_thread(const Warp& warp, LaneMask lanes, Visit visit) {
  for (LaneMask rest = lanes; rest != 0; rest &= rest - 1) {
    visit(unsigned{warp.row[static_cast<unsigned>(std::countr_zero(rest))]}, rest & ~(rest - 1));
  }
}

// Calls visit(key, lanes) for each group of the warp's `lanes` whose rows have a key in common.
template <class KeyOfRow, class Visit>
void for_each_group(const Warp& warp, LaneMask lanes, KeyOfRow key_of_row, Visit visit) {
  const auto key_at = [&](LaneMask rest) {
    return key_of_row(unsigned{warp.row[static_cast<unsigned>(std::countr_zero(rest))]});
  };
  while (lanes != 0) {
    const unsigned key = key_at(lanes);
    LaneMask group = warp.one_row ? lanes : 0;
    for (LaneMask rest = warp.one_row ? 0 : lanes; rest != 0; rest &= rest - 1) {
      if (key_at(rest) == key) group |= rest & ~(rest - 1);
    }
    visit(key, group);
    lanes &= ~group;
  }
}

// Calls visit(row, lanes) for each row that has some of the warp's `lanes`.
template <class Visit>
void for_each_row(const Warp& warp, LaneMask lanes, Visit visit) {
  for_each_group(
      warp, lanes, [](unsigned row) { return row; }, visit);
}

// A slot for every thread: each may be a warp of its own. Rows do not always divide by the schedulers.
inline Shape warp_per_thread(const Geometry& geometry, unsigned width) {
  const unsigned rows = geometry.max_threads / width;
  const unsigned each = (rows + geometry.schedulers - 1) / geometry.schedulers;
  return {width, each * geometry.schedulers * width};
}

}  // namespace warpfold::divergence
