// SPDX-License-Identifier: Apache-2.0
#include "tb/cc/source.h"

#include <array>
#include <regex>

namespace warpfold::cc {
namespace {

struct Cure {
  const char* sign;  // that a text without it needs none
  std::regex wrong;
  const char* right;
};

const std::array<Cure, 6>& cures() {
  static const std::array<Cure, 6> all = {{
      {"<<", std::regex("<<[ \t]+<|<[ \t]+<<"), "<<<"},
      {">>", std::regex(">>[ \t]+>([ \t]*\\()|>[ \t]+>>([ \t]*\\()"), ">>>$1$2"},
      {"__shared__", std::regex("__device__([ \t]+)__shared__|__shared__([ \t]+)__device__"), "$1$2__shared__"},
      {"__constant__", std::regex("__device__([ \t]+)__constant__|__constant__([ \t]+)__device__"), "$1$2__constant__"},
      {"__global__", std::regex("__device__([ \t]+)__global__|__global__([ \t]+)__device__"), "$1$2__global__"},
      {"__global__", std::regex("__host__([ \t]+)__global__|__global__([ \t]+)__host__"), "$1$2__global__"},
  }};
  return all;
}

}  // namespace

std::string normalised(std::string text) {
  for (const Cure& cure : cures()) {
    if (text.find(cure.sign) != std::string::npos) text = std::regex_replace(text, cure.wrong, cure.right);
  }
  return text;
}

}  // namespace warpfold::cc
