// SPDX-License-Identifier: Apache-2.0
// A small block in a directory of the test's own, with a cache of its own.
#pragma once

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>

#include "models/common/error.h"
#include "tb/cosim/rtl_model.h"

namespace warpfold::cosim {

// A counter: one in every clock in which step_i is not zero, step_i and data_i added; 9 is too much for it.
inline const std::string kCounter = R"(module counter #(
  parameter int Width = 8
) (
  input  wire              clk_i,
  input  wire              rst_ni,
  input  wire  [Width-1:0] step_i,
  input  wire  [99:0]      wide_i,
  output logic [Width-1:0] count_o,
  output logic [Width-1:0] next_o,
  output logic [99:0]      wide_o
);
  assign next_o = count_o + step_i;
  assign wide_o = ~wide_i;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) count_o <= '0;
    else count_o <= next_o;
  end
  Limit: assert property (@(posedge clk_i) disable iff (!rst_ni) (step_i < 9)) else $error("step too far");
endmodule
)";

class RtlTest : public ::testing::Test {
 protected:
  RtlTest() {
    std::filesystem::remove_all(directory);
    std::filesystem::create_directories(directory);
  }
  ~RtlTest() override { std::filesystem::remove_all(directory); }

  std::string write(const std::string& name, const std::string& text) const {
    const std::string path = directory / name;
    std::ofstream(path) << text;
    return path;
  }
  static std::string read(const std::filesystem::path& path) {
    std::ostringstream text;
    text << std::ifstream(path).rdbuf();
    return text.str();
  }
  RtlSource counter(const std::string& text = kCounter, unsigned width = 8) const {
    RtlSource source;
    source.block = "counter";
    source.top = "counter";
    source.files = {write("counter.sv", text)};
    source.parameters = {{"Width", width}};
    source.ports = {{"clk_i"},
                    {"rst_ni"},
                    {"step_i", width},
                    {"wide_i", 100},
                    {"count_o", width, true},
                    {"next_o", width, true},
                    {"wide_o", 100, true}};
    return source;
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

  const std::filesystem::path directory =
      std::filesystem::temp_directory_path() / ("warpfold_rtl_" + std::to_string(getpid()));
};

}  // namespace warpfold::cosim
