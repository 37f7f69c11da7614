// SPDX-License-Identifier: Apache-2.0
// The core that a mechanism runs on, and what it makes of it.
#pragma once

#include <string>

namespace warpfold::divergence {

// What a mechanism may ask of the core that it is to run on.
struct Geometry {
  unsigned warp_size = 32;
  unsigned simd_width = 8;
  unsigned max_threads = 1024;  // per core
  unsigned max_warps = 32;  // slots of the warp buffer; as many as rows of threads unless the mechanism asks for more
  unsigned max_blocks = 8;
  unsigned schedulers = 1;
  bool orders_blocks = false;  // its schedulers issue warps by their blocks
  bool deals_blocks = false;   // a block's threads are all one scheduler's (Core::scheduler_of_row)
  bool passes = false;         // its schedulers issue in passes, to FPU and EM pipes
  bool packs_lanes = false;    // lane packing: an instruction holds its unit by its mask
};

// What a mechanism makes of the core's warps.
struct Shape {
  unsigned warp_width = 32;  // lanes: where a thread of a block is for good says isa/lane_map.h
  unsigned warp_slots = 32;  // of the warp buffer
};

// For why_not() of a mechanism that orders warps by a rule of its own: "the majority's warps".
inline std::string keeps_its_order(const Geometry& core, const std::string& first) {
  if (!core.orders_blocks) return "";
  return "core.warp_policy: " + first + " issue first, whatever their blocks: only LRR and GTO pick among them";
}

// For why_not() of a mechanism that issues several parts in a cycle (Traits::issues_parts).
inline std::string takes_parts(const Geometry& core) {
  if (core.passes) return "core.pipes: FPU and EM pipes take two instructions a pass, each in all its lanes";
  if (core.packs_lanes) return "core.lane_packing: lanes are packed by one instruction's mask, not by two";
  return "";
}

}  // namespace warpfold::divergence
