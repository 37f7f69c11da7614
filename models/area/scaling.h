// SPDX-License-Identifier: Apache-2.0
// Synthesised logic on another node than that of the library that it was mapped to (docs/area.md).
#pragma once

#include <string>

#include "warpfold/area/range.h"

namespace warpfold::area {

inline constexpr double kFinestLogic = 5, kCoarsestLogic = 1000;  // nm

// What is measured of a Liberty library; its node is known otherwise.
struct Library {
  double node_nm = 0;
  double fo4_ns = 0;     // delay of its smallest inverter with a fan-out of four
  double nand2_um2 = 0;  // area of its smallest two-input NAND
};

// The process that costs are wanted for.
struct Process {
  double node_nm = 40;
  double fo4_ps = 0, nand2_um2 = 0;  // where they are known; 0: they are not
};

// FO4 (ns) and NAND2 area (µm²) on the process, as far as that library tells: they are the library's own where the node
// is, else between two estimates. One takes the library's own along in proportion, the delay to the feature size and
// the area to its square. The other is published: the delay by Stillmaker and Baas, "Scaling equations for the accurate
// prediction of CMOS device performance from 180 nm to 7 nm", Integration 58 (2017), the area by NanGate's open 45 nm
// library.
Range fo4_ns(const Library& library, const Process& process);
Range nand2_um2(const Library& library, const Process& process);

// That delay in ns, at each node's nominal voltage from 180 to 32 nm, on straight lines of logarithms in between, in
// proportion to the feature size beyond.
double published_fo4_ns(double node_nm);

// The node of a Liberty library in nm: the first in its names ("osu018": 180, "osu05": 500, "Nangate_45nm": 45) that
// its smallest two-input NAND confirms, which takes about 400 F² in libraries of 180 to 45 nm; else what the NAND says.
double node_of_library(const std::string& names, double nand2_um2);

}  // namespace warpfold::area
