// SPDX-License-Identifier: Apache-2.0
#include "tb/sim/area/area_picture.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>

namespace warpfold::sim {
namespace {

using area::Range;

constexpr double kRow = 20, kTop = 44, kPanel = 280, kGap = 30, kCharacter = 7;

struct Bar {
  std::string label;
  Range mhz, mm2;
};

std::string escaped(const std::string& text) {
  std::string safe;
  for (const char c : text) {
    switch (c) {
      case '<':
        safe += "&lt;";
        break;
      case '>':
        safe += "&gt;";
        break;
      case '&':
        safe += "&amp;";
        break;
      default:
        safe += c;
    }
  }
  return safe;
}

// 1, 2 or 5 times a power of ten, of which about four reach `most`.
double step_to(double most) {
  const double power = std::pow(10, std::floor(std::log10(most / 4)));
  for (const double one : {1.0, 2.0, 5.0}) {
    if (one * power * 5 >= most) return one * power;
  }
  return 10 * power;
}

std::string text_at(double x, double y, const char* anchor, const std::string& text) {
  return fmt::format("<text x=\"{:.1f}\" y=\"{:.1f}\" text-anchor=\"{}\">{}</text>\n", x, y, anchor, escaped(text));
}

// An axis from 0, and a bar from low to high for every row; one that is exact is a line.
std::string panel(double left, const std::string& title, const std::vector<Bar>& bars, Range Bar::*value) {
  double most = 0;
  for (const Bar& bar : bars) most = std::max(most, (bar.*value).high);
  std::string svg = text_at(left, 16, "start", title);
  if (most <= 0) return svg;
  const double step = step_to(most), scale = kPanel / (step * std::ceil(most / step)),
               bottom = kTop + kRow * bars.size();
  for (int i = 0; i * step * scale <= kPanel + 0.5; ++i) {
    const double x = left + i * step * scale;
    svg += fmt::format("<line x1=\"{0:.1f}\" x2=\"{0:.1f}\" y1=\"{1}\" y2=\"{2}\" stroke=\"#ccc\"/>\n", x, kTop - 6,
                       bottom);
    svg += text_at(x, kTop - 10, "middle", fmt::format("{:.6g}", i * step));
  }
  for (std::size_t i = 0; i < bars.size(); ++i) {
    const Range& range = bars[i].*value;
    if (range.high <= 0) continue;
    svg += fmt::format("<rect x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.1f}\" height=\"{}\" fill=\"#47a\"/>\n",
                       left + scale * range.low, kTop + kRow * i + 4, std::max(2.0, scale * (range.high - range.low)),
                       kRow - 8);
  }
  return svg;
}

}  // namespace

std::string picture_of(const std::vector<CostedSubject>& subjects, const AreaCommand& command) {
  std::vector<Bar> bars;
  std::set<std::string> seen;
  std::size_t longest = 0;
  for (const auto& [subject, cost, core, logic] : subjects) {
    if (!subject.not_applicable.empty() || !seen.insert(subject.label).second) continue;
    const Range ns = cost.slowest_ns();
    bars.push_back({subject.label, ns.high > 0 ? 1000 / ns : Range(), cost.total_mm2()});
    longest = std::max(longest, subject.label.size());
  }
  const double left = kCharacter * longest + kGap, width = left + 2 * kPanel + 2 * kGap;
  const double height = kTop + kRow * bars.size() + 12;
  std::string svg = fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {0:.0f} {1:.0f}\" width=\"{0:.0f}\" height=\"{1:.0f}\" "
      "font-family=\"sans-serif\" font-size=\"12\">\n<rect width=\"100%\" height=\"100%\" fill=\"#fff\"/>\n",
      width, height);
  for (std::size_t i = 0; i < bars.size(); ++i) {
    svg += text_at(left - 10, kTop + kRow * i + 14, "end", bars[i].label);
  }
  svg += panel(left, fmt::format("MHz of the slowest part at {} nm", command.node), bars, &Bar::mhz);
  svg += panel(left + kPanel + kGap, "mm² of a core's mechanism", bars, &Bar::mm2);
  return svg + "</svg>\n";
}

}  // namespace warpfold::sim
