// SPDX-License-Identifier: Apache-2.0
// Which launches of a sampled run are timed.
#pragma once

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

namespace warpfold {

// As many as it takes to know so well what all launches take, or those that are given.
class SampleChoice {
 public:
  SampleChoice() = default;
  // "" (nothing is sampled), a percentage such as "3%", or launches such as "0-3,7,12", counted from 0. `place` stands
  // in error messages.
  static SampleChoice parse(const std::string& text, const std::string& place);
  // What parse() takes for these launches, which ascend.
  static std::string text_of(const std::vector<std::size_t>& launches);

  bool on() const { return !text_.empty(); }
  const std::string& text() const { return text_; }
  bool given() const { return !ranges_.empty(); }
  double share() const { return share_; }  // 0.03: half of the interval over the estimate; 0: launches are given
  bool covers(std::size_t launch) const;   // of those given

 private:
  std::string text_;
  double share_ = 0;
  std::vector<std::pair<std::size_t, std::size_t>> ranges_;  // ascending, both ends included
};

}  // namespace warpfold
