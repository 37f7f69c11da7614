// SPDX-License-Identifier: Apache-2.0
// `warpfold area` run as its users run it, with its tables read back from JSON.
#pragma once

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>

namespace warpfold {

class AreaCommandLine : public testing::Test {
 protected:
  struct Result {
    int status;
    std::string out, err;
  };
  using Json = nlohmann::json;

  AreaCommandLine()
      : directory_(std::filesystem::path(testing::TempDir()) / ("warpfold_area_" + std::to_string(getpid()))) {
    std::filesystem::create_directories(directory_);
  }
  ~AreaCommandLine() override { std::filesystem::remove_all(directory_); }

  static std::string read_file(const std::filesystem::path& path) {
    std::ifstream in(path);
    std::ostringstream text;
    text << in.rdbuf();
    return text.str();
  }
  void write_file(const std::string& name, const std::string& text) const {
    std::filesystem::create_directories((directory_ / name).parent_path());
    std::ofstream(directory_ / name) << text;
  }

  Result warpfold(const std::string& arguments) const {
    const std::string out = directory_ / "stdout", err = directory_ / "stderr";
    const std::string line = "cd '" + directory_.string() + "' && " + environment_ + " '" WARPFOLD_PROGRAM "' " +
                             arguments + " >'" + out + "' 2>'" + err + "'";
    const int status = std::system(line.c_str());
    return {WEXITSTATUS(status), read_file(out), read_file(err)};
  }
  Json area(const std::string& arguments) const {
    const Result r = warpfold("area --json " + arguments);
    EXPECT_EQ(r.status, 0) << r.err;
    return Json::parse(r.out, nullptr, false);
  }
  std::string complaint(const std::string& arguments) const {
    const Result r = warpfold("area " + arguments);
    EXPECT_EQ(r.status, 2) << arguments;
    EXPECT_EQ(r.out, "") << arguments;
    EXPECT_EQ(std::count(r.err.begin(), r.err.end(), '\n'), 1) << r.err;
    return r.err;
  }
  static const Json& row(const Json& table, const std::string& column, const std::string& value) {
    for (const Json& one : table) {
      if (one.at(column) == value) return one;
    }
    throw std::out_of_range(value);
  }
  void expect_complaint(const std::string& arguments, const std::string& part) const {
    const std::string said = complaint(arguments);
    EXPECT_NE(said.find(part), std::string::npos) << said;
  }

  // A PATH with everything but the tools of synthesis.
  void without_synthesis() {
    namespace fs = std::filesystem;
    const fs::path tools = directory_ / "tools";
    fs::create_directories(tools);
    for (const char* from : {"/usr/bin", "/bin"}) {
      for (const auto& entry : fs::directory_iterator(from)) {
        const std::string name = entry.path().filename();
        const bool synthesis = name.starts_with("yosys") || name == "sta" || name == "berkeley-abc";
        std::error_code there;
        if (!synthesis) fs::create_symlink(entry.path(), tools / name, there);
      }
    }
    environment_ += " PATH='" + tools.string() + "'";
  }

  std::filesystem::path directory_;
  // A cache of the test's own: what is synthesised must be, here and now.
  std::string environment_ = "WARPFOLD_CACHE='" + (directory_ / "cache").string() + "'";
};

}  // namespace warpfold
