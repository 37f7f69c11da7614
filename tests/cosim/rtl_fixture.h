// SPDX-License-Identifier: Apache-2.0
// A small block and a directory of the test's own; what is built stays in the build directory, as it would for a user.
#pragma once

#include <gtest/gtest.h>
#include <stdlib.h>

#include <filesystem>
#include <fstream>
#include <string>

#include "tb/cosim/build/rtl_model.h"
#include "tests/cosim/test_directory.h"
#include "warpfold/common/error.h"
#include "warpfold/common/files/cache.h"

namespace warpfold::cosim {

class RtlTest : public ::testing::Test {
 protected:
  RtlTest() {
    setenv("WARPFOLD_CACHE", WARPFOLD_TEST_CACHE, 1);
    std::filesystem::create_directories(directory);
  }
  ~RtlTest() override { std::filesystem::remove_all(directory); }

  std::string write(const std::string& name, const std::string& text) const {
    std::ofstream(directory / name) << text;
    return directory / name;
  }

  static inline const std::string kCounter = WARPFOLD_TEST_DATA "/counter.sv";

  static RtlSource counter(const std::string& file = kCounter, unsigned width = 8) {
    RtlSource source;
    source.block = "counter";
    source.top = "counter";
    source.files = {file};
    source.parameters = {{"Width", width}};
    source.ports = {{"clk_i"},
                    {"rst_ni"},
                    {"step_i", width},
                    {"short_i", 13},
                    {"quad_i", 60},
                    {"wide_i", 100},
                    {"say_i"},
                    {"count_o", width, true},
                    {"next_o", width, true},
                    {"short_o", 13, true},
                    {"quad_o", 60, true},
                    {"wide_o", 100, true},
                    {"unset_o", 32, true}};
    return source;
  }
  // The counter with one piece of text replaced by another, in a file of the test's own.
  RtlSource changed(const std::string& piece, const std::string& replacement) const {
    std::string text = *read_text(kCounter);
    const std::size_t at = text.find(piece);
    check(at != std::string::npos, "counter.sv has changed");
    return counter(write("counter.sv", text.replace(at, piece.size(), replacement)));
  }
  // What a call complains about.
  template <class Call>
  static std::string complaint(const Call& call) {
    try {
      call();
    } catch (const UserError& error) {
      return error.what();
    }
    return "";
  }

  const std::filesystem::path directory = test_directory();
};

}  // namespace warpfold::cosim
