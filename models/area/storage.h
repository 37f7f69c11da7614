// SPDX-License-Identifier: Apache-2.0
// What a storage structure costs: area, access time and energy per read, from what it is (docs/area-model.md).
//
// Closed formulas in the terms of a memory's geometry, with few coefficients, which are fitted to a grid of points that
// CACTI 7.0 computed (models/area/cacti_grid.csv; tests/area/test_storage_fit.cpp fits them and measures the errors).
#pragma once

#include <array>
#include <string>

namespace warpfold::area {

enum class Kind {
  kRam,               // also register files, stacks and tables that are indexed
  kCache,             // data and tags of all ways are read at once
  kCacheSequential,   // the tags first, then the data of one way
  kCam,               // every entry is compared; what matches is the answer
  kFullyAssociative,  // a CAM of tags beside a RAM of data
};
inline constexpr std::array<const char*, 5> kKindNames{"ram", "cache", "cache_seq", "cam", "fa"};

inline constexpr double kMostBytes = 1 << 30;
inline constexpr double kSmallestNode = 22, kLargestNode = 90;  // nm: what the formulas are fitted to

struct Storage {
  Kind kind = Kind::kRam;
  double node_nm = 40;
  double bytes = 0;      // of data, in all banks together; a CAM's are what it compares
  double row_bits = 0;   // read or written by one access: a word of a RAM, a line of a cache, an entry of a CAM
  double ways = 1;       // of a cache
  double banks = 1;      // of which an access uses one
  double addresses = 1;  // of a RAM's row: its parts have decoders of their own and may each be of another row
  double tag_bits = 32;  // of a cache and of a fully associative table
  double read_write_ports = 1, read_ports = 0,
         write_ports = 0;  // a CAM and a fully associative table search by one more

  double bits() const { return 8 * bytes; }
  double rows() const { return bits() / row_bits; }
  double ports() const { return read_write_ports + read_ports + write_ports; }
};

// How far nine of ten structures that no fit has seen are from CACTI's (docs/area-model.md; test_storage_fit.cpp).
inline constexpr double kAreaError = 0.153, kAccessError = 0.113, kEnergyError = 0.218;

struct Cost {
  double area_mm2 = 0;
  double access_ns = 0;
  double read_nj = 0;  // per access
};

// The fitted coefficients, 31 in all. Lengths are in features F of the node, areas in F², times in ns at 45 nm.
struct Coefficients {
  // Delay of a gate at 22, 32, 65 and 90 nm against 45 nm; in between it is interpolated.
  std::array<double, 4> gate_delay;
  // Terms in the order of the functions of terms.h.
  std::array<double, 6> ram_area;
  double bank_wires;
  std::array<double, 2> cache_area;
  std::array<double, 4> cam_area;
  std::array<double, 4> ram_time;
  double way_wires;
  std::array<double, 3> cam_time;
  std::array<double, 4> ram_energy;
  std::array<double, 2> cam_energy;
};
const Coefficients& fitted();

// Why the formulas cannot be asked about this structure; empty: they can.
std::string why_not(const Storage& storage);

// Of a structure for which why_not() is empty: by the formulas alone, and as the computed points near it say that these
// are to be corrected (computed.h).
Cost formula_cost(const Storage& storage, const Coefficients& coefficients = fitted());
Cost cost(const Storage& storage);

}  // namespace warpfold::area
