// SPDX-License-Identifier: Apache-2.0
#include "tests/area/fit.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <tuple>

#include "warpfold/area/terms.h"
#include "warpfold/common/error.h"

namespace warpfold::area {
namespace {

// Observations: terms · coefficients should be `target`; errors are relative to `scale`.
template <std::size_t N>
struct Observation {
  std::array<double, N> terms;
  double target, scale;
};

// Solves the normal equations of the columns that are in use; the others' coefficients are 0.
template <std::size_t N>
std::array<double, N> solve(const std::vector<Observation<N>>& all, const std::vector<double>& weights,
                            const std::array<bool, N>& used) {
  std::array<std::array<double, N + 1>, N> m{};
  for (std::size_t i = 0; i < all.size(); ++i) {
    const double weight = weights[i] / (all[i].scale * all[i].scale);
    for (std::size_t r = 0; r < N; ++r) {
      for (std::size_t c = 0; c < N; ++c) m[r][c] += weight * all[i].terms[r] * all[i].terms[c];
      m[r][N] += weight * all[i].terms[r] * all[i].target;
    }
  }
  for (std::size_t p = 0; p < N; ++p) {
    if (!used[p]) continue;
    for (std::size_t r = 0; r < N; ++r) {
      if (r == p || !used[r]) continue;
      const double factor = m[r][p] / m[p][p];
      for (std::size_t c = 0; c <= N; ++c) m[r][c] -= factor * m[p][c];
    }
  }
  std::array<double, N> coefficients{};
  for (std::size_t p = 0; p < N; ++p) {
    if (used[p]) coefficients[p] = m[p][N] / m[p][p];
  }
  return coefficients;
}

template <std::size_t N>
std::array<double, N> fit_with(const std::vector<Observation<N>>& all, const std::array<bool, N>& used) {
  constexpr unsigned kRounds = 50;
  constexpr double kSquareUpTo = 0.1;
  std::vector<double> weights(all.size(), 1);
  std::array<double, N> coefficients{};
  for (unsigned round = 0; round < kRounds; ++round) {
    coefficients = solve(all, weights, used);
    for (std::size_t i = 0; i < all.size(); ++i) {
      const double error = std::abs(dot(coefficients, all[i].terms) - all[i].target) / all[i].scale;
      weights[i] = 1 / std::max(error, kSquareUpTo);
    }
  }
  return coefficients;
}

// Columns that would come out negative are left out, the worst first.
template <std::size_t N>
std::array<double, N> least_squares(const std::vector<Observation<N>>& all) {
  check(all.size() >= N, "as many points as coefficients");
  std::array<bool, N> used;
  used.fill(true);
  for (;;) {
    const auto coefficients = fit_with(all, used);
    std::size_t worst = N;
    double lowest = 0;
    for (std::size_t k = 0; k < N; ++k) {
      double sum = 0;
      for (const auto& one : all) sum += coefficients[k] * one.terms[k] / one.scale;
      if (sum < lowest) {
        lowest = sum;
        worst = k;
      }
    }
    if (worst == N) return coefficients;
    used[worst] = false;
  }
}

bool cache(const Sample& s) { return s.storage.kind == Kind::kCache || s.storage.kind == Kind::kCacheSequential; }
bool searched(const Sample& s) { return s.storage.kind == Kind::kCam || s.storage.kind == Kind::kFullyAssociative; }
double features(const Sample& s) { return s.known.area_mm2 / std::pow(s.storage.node_nm * 1e-6, 2); }

// How much slower the same small structure is at the other nodes than at 45 nm: the median.
std::array<double, 4> gate_delays(const std::vector<Sample>& samples) {
  constexpr double kSmall = 2048;  // bytes: wires count for little
  constexpr std::array<double, 4> kNodes{22, 32, 65, 90};
  using Shape = std::tuple<Kind, double, double, double, double, double, double, double>;
  std::map<Shape, std::map<double, double>> times;
  for (const Sample& sample : samples) {
    const Storage& s = sample.storage;
    if (s.bytes > kSmall) continue;
    const Shape shape{s.kind, s.bytes, s.row_bits, s.ways, s.banks, s.read_write_ports, s.read_ports, s.write_ports};
    times[shape][s.node_nm] = sample.known.access_ns;
  }
  std::array<double, 4> delays{};
  for (std::size_t i = 0; i < kNodes.size(); ++i) {
    std::vector<double> ratios;
    for (const auto& [shape, at] : times) {
      if (at.count(kNodes[i]) != 0 && at.count(45) != 0) ratios.push_back(at.at(kNodes[i]) / at.at(45));
    }
    check(!ratios.empty(), "a structure at this node and at 45 nm");
    std::sort(ratios.begin(), ratios.end());
    delays[i] = ratios[ratios.size() / 2];
  }
  return delays;
}

void fit_areas(const std::vector<Sample>& samples, Coefficients& c) {
  std::vector<Observation<6>> rams;
  std::vector<Observation<1>> banks;
  std::vector<Observation<2>> caches;
  std::vector<Observation<4>> cams;
  for (const Sample& s : samples) {
    const double area = features(s);
    if (s.storage.kind == Kind::kRam && s.storage.banks == 1) {
      rams.push_back({ram_area_terms(bank_of(s.storage)), area, area});
    }
    if (searched(s)) cams.push_back({cam_area_terms(entries_of(s.storage)), area, area});
  }
  c.ram_area = least_squares(rams);
  c.cam_area = least_squares(cams);
  for (const Sample& s : samples) {
    const double area = features(s), plain = s.storage.banks * dot(c.ram_area, ram_area_terms(bank_of(s.storage)));
    if (s.storage.kind == Kind::kRam && s.storage.banks > 1) {
      banks.push_back({{bank_wire_term(s.storage, plain)}, area - plain, area});
    } else if (cache(s)) {
      const double tags = dot(c.ram_area, ram_area_terms(tags_of(s.storage)));
      caches.push_back({cache_area_terms(s.storage, plain, tags), area - std::max(plain, tags), area});
    }
  }
  c.bank_wires = least_squares(banks)[0];
  c.cache_area = least_squares(caches);
}

void fit_times(const std::vector<Sample>& samples, Coefficients& c) {
  std::vector<Observation<4>> rams;
  std::vector<Observation<1>> ways;
  std::vector<Observation<3>> cams;
  for (const Sample& s : samples) {
    const double gate = gate_delay(s.storage.node_nm, c), time = s.known.access_ns;
    if (s.storage.kind == Kind::kRam) {
      rams.push_back({ram_time_terms(bank_of(s.storage), areas(s.storage, c).all, gate), time, time});
    }
  }
  c.ram_time = least_squares(rams);
  for (const Sample& s : samples) {
    const double gate = gate_delay(s.storage.node_nm, c), time = s.known.access_ns;
    const Areas area = areas(s.storage, c);
    if (s.storage.kind == Kind::kCache) {
      ways.push_back({{way_time_term(s.storage, gate)}, time - ram_time(s.storage, area, gate, c), time});
    } else if (searched(s)) {
      cams.push_back({cam_time_terms(s.storage, gate), time - c.ram_time[3] * wire_time_term(area.all, gate), time});
    }
  }
  c.way_wires = least_squares(ways)[0];
  c.cam_time = least_squares(cams);
}

void fit_energies(const std::vector<Sample>& samples, Coefficients& c) {
  std::vector<Observation<4>> rams;
  std::vector<Observation<2>> cams;
  for (const Sample& s : samples) {
    const double energy = s.known.read_nj, scale = energy_scale(s.storage.node_nm), area = areas(s.storage, c).all;
    if (s.storage.kind == Kind::kRam)
      rams.push_back({ram_energy_terms(bank_of(s.storage), 1, area, scale), energy, energy});
    if (searched(s)) cams.push_back({cam_energy_terms(entries_of(s.storage), area, scale), energy, energy});
  }
  c.ram_energy = least_squares(rams);
  c.cam_energy = least_squares(cams);
}

}  // namespace

Coefficients fit(const std::vector<Sample>& samples) {
  Coefficients c{};
  c.gate_delay = gate_delays(samples);
  fit_areas(samples, c);
  fit_times(samples, c);
  fit_energies(samples, c);
  return c;
}

std::string source_of(const Coefficients& c) {
  const auto list = [](const char* name, const auto& values) {
    std::string text;
    for (const double value : values) text += fmt::format("{}{:.6g}", text.empty() ? "" : ", ", value);
    return fmt::format("      .{} = {{{}}},\n", name, text);
  };
  return list("gate_delay", c.gate_delay) + list("ram_area", c.ram_area) +
         fmt::format("      .bank_wires = {:.6g},\n", c.bank_wires) + list("cache_area", c.cache_area) +
         list("cam_area", c.cam_area) + list("ram_time", c.ram_time) +
         fmt::format("      .way_wires = {:.6g},\n", c.way_wires) + list("cam_time", c.cam_time) +
         list("ram_energy", c.ram_energy) + list("cam_energy", c.cam_energy);
}

}  // namespace warpfold::area
