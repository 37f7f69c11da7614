// SPDX-License-Identifier: Apache-2.0
// Which of a program's launches are looked at in detail.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace warpfold {

// Some of a program's launches, those that are timed, say: by kernel, or by position in the program.
class Detail {
 public:
  Detail() = default;
  // "" (all), "12", "3-7" (counted from 0, both ends included) or a kernel's name. `place` and `key` stand in error
  // messages.
  static Detail parse(const std::string& text, const std::string& place, const std::string& key = "detail");
  // `kernel` as in the PTX; the name that the user wrote matches its C++ mangling too.
  bool covers(std::size_t launch, std::string_view kernel) const;
  const std::string& text() const { return text_; }

 private:
  std::string text_, kernel_;
  std::size_t first_ = 0, last_ = static_cast<std::size_t>(-1);
};

}  // namespace warpfold
