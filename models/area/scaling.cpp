// SPDX-License-Identifier: Apache-2.0
#include "models/area/scaling.h"

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

double delay(double node_nm) {
  if (node_nm <= kDelays.front().node_nm) return kDelays.front().ps * node_nm / kDelays.front().node_nm;
  if (node_nm >= kDelays.back().node_nm) return kDelays.back().ps * node_nm / kDelays.back().node_nm;
  std::size_t upper = 1;
  while (node_nm > kDelays[upper].node_nm) ++upper;
  const Delay &a = kDelays[upper - 1], &b = kDelays[upper];
  const double part = std::log(node_nm / a.node_nm) / std::log(b.node_nm / a.node_nm);
  return a.ps * std::pow(b.ps / a.ps, part);
}

}  // namespace

double area_factor(double from_nm, double to_nm) { return (to_nm / from_nm) * (to_nm / from_nm); }

double delay_factor(double from_nm, double to_nm) { return delay(to_nm) / delay(from_nm); }

double node_in_name(const std::string& name) {
  static const std::regex numbers("[0-9]+");
  constexpr std::array<int, 22> kNodes{500, 350, 250, 180, 130, 110, 90, 65, 55, 45, 40,
                                       32,  28,  22,  20,  16,  15,  14, 12, 10, 7,  5};
  for (std::sregex_iterator at(name.begin(), name.end(), numbers), end; at != end; ++at) {
    const std::string digits = at->str();
    if (digits.size() > 3) continue;
    const int number = std::stoi(digits);
    if (digits.size() == 3 && digits[0] == '0') return number * 10;  // hundredths of a micrometre
    if (std::find(kNodes.begin(), kNodes.end(), number) != kNodes.end()) return number;
  }
  return 0;
}

double node_of_nand(double nand2_um2) { return 1000 * std::sqrt(nand2_um2 / 400); }

}  // namespace warpfold::area
