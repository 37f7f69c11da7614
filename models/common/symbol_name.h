// SPDX-License-Identifier: Apache-2.0
// Names of functions as their authors wrote them.
#pragma once

#include <cxxabi.h>

#include <cstdlib>
#include <memory>
#include <string>

namespace warpfold {

// "_Z4wildPi" → "wild(int*)"; what is no C++ mangling stays as it is.
inline std::string shown_name(const std::string& symbol) {
  if (!symbol.starts_with("_Z")) return symbol;
  int failed = 0;
  const std::unique_ptr<char, void (*)(void*)> text(abi::__cxa_demangle(symbol.c_str(), nullptr, nullptr, &failed),
                                                    std::free);
  return failed == 0 ? std::string(text.get()) : symbol;
}

}  // namespace warpfold
