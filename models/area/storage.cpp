// SPDX-License-Identifier: Apache-2.0
#include "warpfold/area/storage.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "warpfold/area/computed.h"
#include "warpfold/area/terms.h"

namespace warpfold::area {
namespace {

constexpr std::array<double, 5> kNodes{22, 32, 45, 65, 90};

// Piecewise linear through the values at kNodes.
double interpolate(double node_nm, const std::array<double, 5>& values) {
  std::size_t upper = 1;
  while (upper + 1 < kNodes.size() && node_nm > kNodes[upper]) ++upper;
  const double part = (node_nm - kNodes[upper - 1]) / (kNodes[upper] - kNodes[upper - 1]);
  return values[upper - 1] + part * (values[upper] - values[upper - 1]);
}

double square(double x) { return x * x; }

bool searched(const Storage& storage) { return storage.kind == Kind::kCam || storage.kind == Kind::kFullyAssociative; }
bool cached(const Storage& storage) { return storage.kind == Kind::kCache || storage.kind == Kind::kCacheSequential; }
// Bits of data that are read at once, before one way is picked.
double bits_read(const Storage& storage) {
  return storage.kind == Kind::kCache ? storage.row_bits * storage.ways : storage.row_bits;
}

}  // namespace

double Array::cells() const { return (10 + 5 * (ports - 1)) * (14.6 + 5 * (ports - 1)) * bits; }
double Entries::row_height() const { return 29.2 + 5 * (ports - 1); }
double Entries::cells() const { return (10 + 5 * (ports - 1)) * row_height() * count * bits(); }

Array bank_of(const Storage& storage) { return {storage.bits() / storage.banks, storage.row_bits, storage.ports()}; }
Array tags_of(const Storage& storage) { return {storage.rows() * storage.tag_bits, storage.tag_bits, storage.ports()}; }

Entries entries_of(const Storage& storage) {
  if (storage.kind == Kind::kCam) return {storage.rows(), storage.row_bits, 0, storage.ports()};
  return {storage.rows(), storage.tag_bits, storage.row_bits, storage.ports()};
}

std::array<double, 6> ram_area_terms(const Array& array) {
  const double wires = array.row_bits * array.ports;
  return {
      array.cells(),
      wires * std::sqrt(array.row_bits),  // across the subarrays that a row spreads over, which lie in a square
      square(wires),                      // where they turn to the edge
      (14.6 + 5 * (array.ports - 1)) * array.rows() * array.ports,  // row decoders and word line drivers
      std::pow(array.cells(), 1.5) / 1e4,                           // wires to ever more subarrays, ever farther away
      1,                                                            // control
  };
}

std::array<double, 4> cam_area_terms(const Entries& entries) {
  return {entries.cells(), entries.ports * std::pow(entries.bits(), 1.5), entries.row_height() * entries.count, 1};
}

// The tags lie beside the data in a box that is as high as the larger of two squares; the bits of the ways that are not
// picked run to the multiplexers.
std::array<double, 2> cache_area_terms(const Storage& storage, double data, double tags) {
  return {std::sqrt(data * tags), square(bits_read(storage) - storage.row_bits) * storage.ports()};
}

double bank_wire_term(const Storage& storage, double all_banks) {
  return storage.row_bits * storage.ports() * std::sqrt(all_banks) * std::log2(storage.banks);
}

std::array<double, 6> address_terms(const Storage& storage) {
  const std::array<double, 6> whole = ram_area_terms(bank_of(storage));
  const double more = storage.banks * (storage.addresses - 1);
  return {0, 0, 0, more * whole[3], 0, more * whole[5]};
}

double address_wire_term(const Storage& storage, double all_banks) {
  if (storage.addresses <= 1) return 0;
  const double bits = std::log2(std::max(storage.rows(), 2.0));
  return bits * storage.ports() * std::sqrt(all_banks) * std::log2(storage.addresses);
}

Areas areas(const Storage& storage, const Coefficients& c) {
  if (searched(storage)) return {dot(c.cam_area, cam_area_terms(entries_of(storage)))};
  const double banks = storage.banks * dot(c.ram_area, ram_area_terms(bank_of(storage)));
  const double data = banks + dot(c.ram_area, address_terms(storage)) +
                      c.bank_wires * (bank_wire_term(storage, banks) + address_wire_term(storage, banks));
  if (!cached(storage)) return {data};
  Areas parts;
  parts.tags = dot(c.ram_area, ram_area_terms(tags_of(storage)));
  const auto terms = cache_area_terms(storage, data, parts.tags);
  parts.data = data + c.cache_area[1] * terms[1];
  parts.all = std::max(data, parts.tags) + dot(c.cache_area, terms);
  return parts;
}

double gate_delay(double node_nm, const Coefficients& coefficients) {
  const auto& d = coefficients.gate_delay;
  return interpolate(node_nm, {d[0], d[1], 1, d[2], d[3]});
}

// Wires scale by the geometric mean of a gate's delay and of their own, which is the same at all nodes for the same
// length in F; between no repeaters (length²) and many (length) their delay grows with length^1.5.
double wire_time_term(double area, double gate) { return std::sqrt(gate) * std::pow(area, 0.75) / 1e6; }

std::array<double, 4> ram_time_terms(const Array& array, double area, double gate) {
  return {gate, gate * std::log2(std::max(array.rows(), 1.0)), gate * std::pow(array.cells(), 0.25),
          wire_time_term(area, gate)};
}

double way_time_term(const Storage& storage, double gate) {
  return std::sqrt(gate) * (bits_read(storage) - storage.row_bits) / 1e3;
}

// A CAM's entries lie in a square of subarrays; those of a fully associative table in one column beside its data.
std::array<double, 3> cam_time_terms(const Storage& storage, double gate) {
  if (storage.kind == Kind::kFullyAssociative) return {0, gate, gate * storage.rows() / 1e3};
  return {gate * std::log2(storage.rows() + 1), 0, 0};
}

double ram_time(const Storage& storage, const Areas& areas, double gate, const Coefficients& c) {
  const double data = dot(c.ram_time, ram_time_terms(bank_of(storage), areas.all, gate));
  if (storage.kind != Kind::kCacheSequential) return data;
  return data + dot(c.ram_time, ram_time_terms(tags_of(storage), areas.tags, gate));
}

// ITRS high-performance supply voltages.
double supply_volts(double node_nm) { return interpolate(node_nm, {0.8, 0.9, 1.0, 1.1, 1.2}); }

double energy_scale(double node_nm) { return node_nm / 45 * square(supply_volts(node_nm)); }

std::array<double, 4> ram_energy_terms(const Array& array, double ways, double area, double scale) {
  const double side = std::sqrt(area);
  return {scale * side / 1e6, scale * side * array.row_bits * ways / 1e6, scale * array.bits / 1e6,
          scale * square(array.row_bits) / 1e6};
}

std::array<double, 2> cam_energy_terms(const Entries& entries, double area, double scale) {
  return {scale * std::pow(entries.bits(), 1.5) / 1e6, scale * entries.bits() * std::sqrt(area) / 1e6};
}

double ram_energy(const Storage& storage, const Areas& areas, const Coefficients& c) {
  const double scale = energy_scale(storage.node_nm);
  const auto energy = [&](const Array& array, double ways, double area) {
    return dot(c.ram_energy, ram_energy_terms(array, ways, area, scale));
  };
  if (!cached(storage)) return energy(bank_of(storage), 1, areas.all);
  return energy(bank_of(storage), bits_read(storage) / storage.row_bits, areas.data) +
         energy(tags_of(storage), storage.ways, areas.tags);
}

std::string why_not(const Storage& s) {
  if (!(s.node_nm >= kSmallestNode && s.node_nm <= kLargestNode)) {
    return fmt::format("node {} nm: must be in [{}, {}] nm", s.node_nm, kSmallestNode, kLargestNode);
  }
  if (!(s.bytes > 0 && s.row_bits > 0)) return "bytes and row bits must be more than 0";
  if (!(s.bytes <= kMostBytes)) return fmt::format("{} bytes: must be at most {}", s.bytes, kMostBytes);
  if (!(s.addresses >= 1 && s.addresses <= s.row_bits)) {
    return fmt::format("{} addresses of a row of {} bits", s.addresses, s.row_bits);
  }
  if (!(s.banks >= 1)) return fmt::format("{} banks: must be at least 1", s.banks);
  if (!(s.read_write_ports >= 0 && s.read_ports >= 0 && s.write_ports >= 0) || !(s.ports() >= 1)) {
    return "must have at least one port";
  }
  if (searched(s)) return s.rows() < 1 ? "holds less than one entry" : "";
  if (cached(s) && !(s.ways >= 1)) return fmt::format("{} ways: must be at least 1", s.ways);
  const double least = s.row_bits * (cached(s) ? s.ways : s.banks) / 8;
  if (s.bytes < least) {
    return fmt::format("{} bytes are too few for {} {} of {} bits", s.bytes, cached(s) ? s.ways : s.banks,
                       cached(s) ? "ways" : "banks", s.row_bits);
  }
  return "";
}

Cost formula_cost(const Storage& storage, const Coefficients& c) {
  const double gate = gate_delay(storage.node_nm, c);
  const Areas area = areas(storage, c);
  Cost cost;
  cost.area_mm2 = area.all * square(storage.node_nm * 1e-6);
  if (searched(storage)) {
    cost.access_ns = dot(c.cam_time, cam_time_terms(storage, gate)) + c.ram_time[3] * wire_time_term(area.all, gate);
    cost.read_nj = dot(c.cam_energy, cam_energy_terms(entries_of(storage), area.all, energy_scale(storage.node_nm)));
    return cost;
  }
  cost.access_ns = ram_time(storage, area, gate, c) + c.way_wires * way_time_term(storage, gate);
  cost.read_nj = ram_energy(storage, area, c);
  return cost;
}

Cost cost(const Storage& storage) {
  static const ComputedPoints near(computed_points(), fitted());
  return near.corrected(storage, formula_cost(storage));
}

}  // namespace warpfold::area
