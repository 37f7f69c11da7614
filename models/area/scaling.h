// SPDX-License-Identifier: Apache-2.0
// Synthesised logic on another node than that of the library that it was mapped to (docs/area.md).
#pragma once

#include <string>

namespace warpfold::area {

inline constexpr double kFinestLogic = 5, kCoarsestLogic = 1000;  // nm

// Area goes with the square of the feature size.
double area_factor(double from_nm, double to_nm);

// Delay goes as that of an inverter with a fan-out of four: Stillmaker and Baas, "Scaling equations for the accurate
// prediction of CMOS device performance from 180 nm to 7 nm", Integration 58 (2017), at each node's nominal voltage
// from 180 to 32 nm, on straight lines of logarithms in between, in proportion to the feature size beyond.
double delay_factor(double from_nm, double to_nm);

// The node of a Liberty library in nm: the first in its names ("osu018": 180, "osu05": 500, "Nangate_45nm": 45) that
// its smallest two-input NAND confirms, which takes about 400 F² in libraries of 180 to 45 nm; else what the NAND says.
double node_of_library(const std::string& names, double nand2_um2);

}  // namespace warpfold::area
