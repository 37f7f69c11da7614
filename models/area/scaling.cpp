// SPDX-License-Identifier: Apache-2.0
#include "warpfold/area/scaling.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <regex>
#include <string_view>
#include <utility>

#include "warpfold/common/error.h"

namespace warpfold::area {
namespace {

constexpr double kPublishedNand2 = 0.798 / (0.045 * 0.045);  // in squares of the feature size

// Open kits by how the names of their libraries begin. Their documents say how long gates are that are not as long as
// the node is called; gf180mcu's cells are made of its transistors for 5 V.
struct Kit {
  std::string_view prefix, name;
  double node_nm, gate_nm;  // 0: as the library's name has it, as the node is called
};
constexpr std::array<Kit, 6> kKits{{{"osu", "osu", 0, 0},
                                    {"NangateOpenCellLibrary", "nangate45", 45, 50},
                                    {"sky130_", "sky130", 130, 150},
                                    {"sg13g2_", "sg13g2", 130, 130},
                                    {"gf180mcu_", "gf180mcu", 180, 600},
                                    {"asap7", "asap7", 7, 20}}};

const Kit* known_kit(const std::string& library) {
  const auto kit =
      std::find_if(kKits.begin(), kKits.end(), [&](const Kit& one) { return library.starts_with(one.prefix); });
  return kit == kKits.end() ? nullptr : &*kit;
}

// Student's t: nine of ten values lie between its negative and itself, by degrees of freedom from 2 on.
double student(std::size_t freedom) {
  constexpr std::array<double, 9> kValues{2.920, 2.353, 2.132, 2.015, 1.943, 1.895, 1.860, 1.833, 1.812};
  return kValues[std::min(freedom, kValues.size() + 1) - 2];
}

}  // namespace

std::string kit_of(const std::string& library) {
  const Kit* kit = known_kit(library);
  return kit != nullptr ? std::string(kit->name) : library;
}

double gate_length_nm(const Library& library) {
  const Kit* kit = known_kit(library.name);
  return kit != nullptr && kit->gate_nm > 0 ? kit->gate_nm : gate_length_nm(library.node_nm);
}

// Down to 32 nm a node is called after about that length; ASAP7's, at 7 nm, are 20 nm long. Straight in logarithms
// between and beyond.
double gate_length_nm(double node_nm) {
  constexpr double kLast = 32, kFin = 7, kFinLength = 20;
  if (node_nm >= kLast) return node_nm;
  return kLast * std::pow(node_nm / kLast, std::log(kFinLength / kLast) / std::log(kFin / kLast));
}

Paces::Paces(std::vector<Pace> measured) : measured_(std::move(measured)) {
  std::map<std::string, double> libraries;  // of each kit
  for (const Pace& one : measured_) ++libraries[kit_of(one.library)];
  kits_ = libraries.size();
  const auto mean = [&](auto value) {
    double sum = 0;
    for (const Pace& one : measured_) sum += value(one) / libraries.at(kit_of(one.library));
    return sum / static_cast<double>(kits_);
  };
  const auto length = [](const Pace& one) { return std::log(gate_length_nm(Library{one.node_nm, 0, 0, one.library})); };
  if (kits_ < 4) return;
  mean_length_ = mean(length);
  mean_ = mean([](const Pace& one) { return std::log(one.ns); });
  const auto beside = [&](const Pace& one) { return length(one) - mean_length_; };
  lengths_ = mean([&](const Pace& one) { return beside(one) * beside(one); });
  slope_ = mean([&](const Pace& one) { return beside(one) * (std::log(one.ns) - mean_); }) / lengths_;
  const double off = mean([&](const Pace& one) {
    const double residual = std::log(one.ns) - mean_ - slope_ * beside(one);
    return residual * residual;
  });
  const double kits = static_cast<double>(kits_);
  spread_ = std::sqrt(kits * off / (kits - 2));
}

// With what the library itself is off the line, where that has been measured.
Range Paces::factor(const Library& from, double gate_nm) const {
  if (kits_ < 4) user_error("rtl/synth/results.json: has results on {} kits; wanted four: scripts/area-results", kits_);
  const auto line = [&](double length) { return mean_ + slope_ * (std::log(length) - mean_length_); };
  const auto same = [&](const Pace& one) { return one.library == from.name; };
  const auto known = std::find_if(measured_.begin(), measured_.end(), same);
  const double own = known != measured_.end() ? std::log(known->ns) : line(gate_length_nm(from));
  const double beside = std::log(gate_nm) - mean_length_;
  const double kits = static_cast<double>(kits_);
  // Of one that has not been measured nobody knows either.
  const double unknown = known != measured_.end() ? 1 : 2;
  const double half = student(kits_ - 2) * spread_ * std::sqrt(unknown + (1 + beside * beside / lengths_) / kits);
  const double middle = line(gate_nm) - own;
  return {std::exp(middle - half), std::exp(middle + half)};
}

Range nand2_um2(const Library& library, const Process& process) {
  if (process.nand2_um2 > 0) return process.nand2_um2;
  if (library.node_nm == process.node_nm) return library.nand2_um2;
  // What is called less than 32 nm has features that are longer.
  const auto feature = [](double node_nm) { return std::max(node_nm, gate_length_nm(node_nm)); };
  const double at = feature(process.node_nm), shrink = at / feature(library.node_nm);
  return {library.nand2_um2 * shrink * shrink, kPublishedNand2 * 1e-6 * at * at};
}

double node_of_library(const std::string& names, double nand2_um2) {
  static const std::regex numbers("[0-9]+");
  constexpr std::array<int, 22> kNodes{500, 350, 250, 180, 130, 110, 90, 65, 55, 45, 40,
                                       32,  28,  22,  20,  16,  15,  14, 12, 10, 7,  5};
  constexpr double kSpread = 2.5;  // libraries differ in how tall their cells are
  if (const Kit* kit = known_kit(names); kit != nullptr && kit->node_nm > 0) return kit->node_nm;
  const double by_area = 1000 * std::sqrt(nand2_um2 / 400);
  for (std::sregex_iterator at(names.begin(), names.end(), numbers), end; at != end; ++at) {
    const std::string digits = at->str();
    if (digits.size() > 3) continue;
    int node = std::stoi(digits);
    if (digits.size() > 1 && digits[0] == '0') node *= digits.size() == 2 ? 100 : 10;  // 05 and 018 are micrometres
    const bool known = std::find(kNodes.begin(), kNodes.end(), node) != kNodes.end();
    if (known && node < kSpread * by_area && by_area < kSpread * node) return node;
  }
  return by_area;
}

}  // namespace warpfold::area
