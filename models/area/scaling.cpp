// SPDX-License-Identifier: Apache-2.0
#include "warpfold/area/scaling.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <regex>

namespace warpfold::area {
namespace {

struct Delay {
  double node_nm, ps;
};
constexpr std::array<Delay, 6> kDelays{{{32, 8.4}, {45, 12.5}, {65, 19.2}, {90, 23.6}, {130, 32.0}, {180, 79.0}}};

constexpr double kPublishedNand2 = 0.798 / (0.045 * 0.045);  // in squares of the feature size

}  // namespace

double published_fo4_ns(double node_nm) {
  const auto beyond = [&](const Delay& last) { return 1e-3 * last.ps * node_nm / last.node_nm; };
  if (node_nm <= kDelays.front().node_nm) return beyond(kDelays.front());
  if (node_nm >= kDelays.back().node_nm) return beyond(kDelays.back());
  std::size_t upper = 1;
  while (node_nm > kDelays[upper].node_nm) ++upper;
  const Delay &a = kDelays[upper - 1], &b = kDelays[upper];
  const double part = std::log(node_nm / a.node_nm) / std::log(b.node_nm / a.node_nm);
  return 1e-3 * a.ps * std::pow(b.ps / a.ps, part);
}

Range fo4_ns(const Library& library, const Process& process) {
  if (process.fo4_ps > 0) return 1e-3 * process.fo4_ps;
  if (library.node_nm == process.node_nm) return library.fo4_ns;
  return {library.fo4_ns * process.node_nm / library.node_nm, published_fo4_ns(process.node_nm)};
}

Range nand2_um2(const Library& library, const Process& process) {
  if (process.nand2_um2 > 0) return process.nand2_um2;
  if (library.node_nm == process.node_nm) return library.nand2_um2;
  const double shrink = process.node_nm / library.node_nm;
  return {library.nand2_um2 * shrink * shrink, kPublishedNand2 * 1e-6 * process.node_nm * process.node_nm};
}

double node_of_library(const std::string& names, double nand2_um2) {
  static const std::regex numbers("[0-9]+");
  constexpr std::array<int, 22> kNodes{500, 350, 250, 180, 130, 110, 90, 65, 55, 45, 40,
                                       32,  28,  22,  20,  16,  15,  14, 12, 10, 7,  5};
  constexpr double kSpread = 2.5;  // libraries differ in how tall their cells are
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
