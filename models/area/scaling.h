// SPDX-License-Identifier: Apache-2.0
// Synthesised logic on another node than that of the library that it was mapped to (docs/area.md).
#pragma once

#include <string>
#include <vector>

#include "warpfold/area/range.h"

namespace warpfold::area {

inline constexpr double kFinestLogic = 5, kCoarsestLogic = 1000;  // nm

// The area of logic that is placed and routed over that of its cells as synthesised: cells that grow, or are added for
// wires and clock, and places that stay empty. Between these lie eight of ten designs of an open flow (docs/area.md).
inline const Range kPlacedLogic{1.59, 4.56};
// Its shortest clock over that of its cells alone: wires and skew, and gates that are made larger for them. Eight of nine
// designs of that flow.
inline const Range kPlacedDelay{0.91, 1.78};

// What is measured of a Liberty library; its node is known otherwise.
struct Library {
  double node_nm = 0;
  double fo4_ns = 0;     // delay of its smallest inverter with a fan-out of four
  double nand2_um2 = 0;  // area of its smallest two-input NAND
  std::string name{};    // its own
};

// The process that costs are wanted for.
struct Process {
  double node_nm = 40;
  double fo4_ps = 0, nand2_um2 = 0;  // where they are known; 0: they are not
};

// What blocks take in a library beside the same blocks in others: nearly one factor for all blocks.
struct Pace {
  std::string library;
  double node_nm = 0;
  double ns = 0;  // geometric mean of the same blocks in each
};

// How long logic takes on a process that nobody has measured, from what the same blocks take in libraries of several
// kits. On logarithmic scales that is a straight line over the gate length, fitted with one vote for each kit, and a
// new kit lies within its prediction interval in nine of ten cases.
class Paces {
 public:
  // Those of fewer than four kits say nothing of a fifth: any use is a UserError then.
  explicit Paces(std::vector<Pace> measured);
  // What a delay in that library is to be multiplied by on a process whose gates have that length.
  Range factor(const Library& from, double gate_nm) const;

 private:
  std::vector<Pace> measured_;
  double mean_length_ = 0, mean_ = 0, slope_ = 0, spread_ = 0, lengths_ = 0;  // of logarithms
  std::size_t kits_ = 0;
};

// The kit that a library belongs to, by how its name begins; its own name where we know none.
std::string kit_of(const std::string& library);

// Length of the gates that a library's delays come from: what we know of its kit, else what its node is called. Names
// of nodes below 32 nm are no lengths any more.
double gate_length_nm(const Library& library);
double gate_length_nm(double node_nm);

// NAND2 area (µm²) on the process, as far as that library tells: its own where the node is, else between its own in
// proportion to the square of the feature size, and that of NanGate's open 45 nm library.
Range nand2_um2(const Library& library, const Process& process);

// The node of a Liberty library in nm: its kit's where we know that, else the first in its names ("osu018": 180,
// "osu05": 500, "Nangate_45nm": 45) that its smallest two-input NAND confirms, which takes about 400 F² in libraries of
// 180 to 45 nm; else what the NAND says.
double node_of_library(const std::string& names, double nand2_um2);

}  // namespace warpfold::area
