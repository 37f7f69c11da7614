// SPDX-License-Identifier: Apache-2.0
// How well a sampled run is to know what all launches take.
#pragma once

#include <string>

namespace warpfold {

class SampleAim {
 public:
  SampleAim() = default;
  // "" (nothing is sampled) or a percentage such as "3%". `place` stands in error messages.
  static SampleAim parse(const std::string& text, const std::string& place);

  bool on() const { return !text_.empty(); }
  const std::string& text() const { return text_; }
  double share() const { return share_; }  // 0.03: half of the interval over the estimate

 private:
  std::string text_;
  double share_ = 0;
};

}  // namespace warpfold
