// SPDX-License-Identifier: Apache-2.0
// The terms of the storage formulas: what is multiplied by each fitted coefficient (docs/area-model.md says why these).
// Lengths are in features F of the node, areas in F².
#pragma once

#include <array>

#include "warpfold/area/storage.h"

namespace warpfold::area {

// One array of cells: a bank of a RAM, the data or the tags of a cache.
struct Array {
  double bits = 0;
  double row_bits = 0;  // that leave it at once
  double ports = 1;
  double rows() const { return bits / row_bits; }
  double cells() const;  // F²: an SRAM cell is 10 F × 14.6 F, and 5 F more each way for every further port
};

Array bank_of(const Storage& storage);  // of a RAM; all data of a cache
Array tags_of(const Storage& storage);  // of a cache

// A CAM's entries; those of a fully associative table with their data.
struct Entries {
  double count = 0;
  double compared_bits = 0, data_bits = 0;
  double ports = 1;  // without the one that searches
  double bits() const { return compared_bits + data_bits; }
  double row_height() const;  // F: a CAM cell is 10 F × 29.2 F
  double cells() const;       // F²: data lies in rows as high as those of the cells that are compared
};

Entries entries_of(const Storage& storage);

// Area in F².
std::array<double, 6> ram_area_terms(const Array& array);
std::array<double, 4> cam_area_terms(const Entries& entries);
std::array<double, 2> cache_area_terms(const Storage& storage, double data, double tags);  // beside one way's data
double bank_wire_term(const Storage& storage, double all_banks);
// What the parts of a row that have addresses of their own add, in the terms of ram_area and of bank_wires: decoders,
// word line drivers and control for each; the wires of the addresses. The data's are those of a whole row.
std::array<double, 6> address_terms(const Storage& storage);
double address_wire_term(const Storage& storage, double all_banks);

// Area in F² of all the structure, with the arrays of a cache apart.
struct Areas {
  double all = 0;
  double data = 0, tags = 0;
};
Areas areas(const Storage& storage, const Coefficients& coefficients);

double gate_delay(double node_nm, const Coefficients& coefficients);

// Access time in ns. `area` in F²; a gate's delay at the node is `gate` times that at 45 nm.
std::array<double, 4> ram_time_terms(const Array& array, double area, double gate);
double way_time_term(const Storage& storage, double gate);
std::array<double, 3> cam_time_terms(const Storage& storage, double gate);
double wire_time_term(double area, double gate);

// Energy of a read in nJ; `scale` is energy_scale() of the node.
std::array<double, 4> ram_energy_terms(const Array& array, double ways, double area, double scale);
std::array<double, 2> cam_energy_terms(const Entries& entries, double area, double scale);
double supply_volts(double node_nm);  // nominal
double energy_scale(double node_nm);  // capacitance × supply voltage², against 45 nm

template <std::size_t N>
double dot(const std::array<double, N>& coefficients, const std::array<double, N>& terms) {
  double sum = 0;
  for (std::size_t i = 0; i < N; ++i) sum += coefficients[i] * terms[i];
  return sum;
}

// The parts of an access time and of an energy that the formulas of a RAM's array give (the fit needs them apart).
double ram_time(const Storage& storage, const Areas& areas, double gate, const Coefficients& coefficients);
double ram_energy(const Storage& storage, const Areas& areas, const Coefficients& coefficients);

}  // namespace warpfold::area
