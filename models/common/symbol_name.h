// SPDX-License-Identifier: Apache-2.0
// Names of functions as their authors wrote them.
#pragma once

#include <cxxabi.h>

#include <algorithm>
#include <cstdlib>
#include <memory>
#include <string>

namespace warpfold {

// Where the end begins that clang gives to a static name of device code so that other files cannot have the same.
inline constexpr const char* kStaticMarks[] = {"__static__", "__intern__"};

// "_Z4wildPi" → "wild(int*)"; what is no C++ mangling stays as it is.
inline std::string shown_name(std::string symbol) {
  for (const char* const mark : kStaticMarks) symbol.resize(std::min(symbol.size(), symbol.find(mark)));
  if (!symbol.starts_with("_Z")) return symbol;
  int failed = 0;
  const std::unique_ptr<char, void (*)(void*)> text(abi::__cxa_demangle(symbol.c_str(), nullptr, nullptr, &failed),
                                                    std::free);
  return failed == 0 ? std::string(text.get()) : symbol;
}

}  // namespace warpfold
