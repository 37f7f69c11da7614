// SPDX-License-Identifier: Apache-2.0
// `warpfold area`, with its tables read back from JSON.
#pragma once

#include <algorithm>
#include <nlohmann/json.hpp>

#include "tests/common/command_line.h"

namespace warpfold {

class AreaCommandLine : public CommandLineTest {
 protected:
  using Json = nlohmann::json;

  // A cache of the test's own, which stays: what was synthesised of the same RTL, by the same scripts and tools, is not
  // synthesised again, as gates of RTL do not run again (tests/rtl/gate.sh).
  AreaCommandLine() {
    namespace fs = std::filesystem;
    const testing::TestInfo& test = *testing::UnitTest::GetInstance()->current_test_info();
    const fs::path cache = fs::path(WARPFOLD_TEST_CACHE) / "area_of_tests" / test.test_suite_name() / test.name();
    if (std::getenv("WARPFOLD_FRESH") != nullptr) fs::remove_all(cache);
    environment_ = "WARPFOLD_CACHE='" + cache.string() + "'";
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

  // A run with made-up figures, filed under its key. Its program is the stand-in under a name of the test's.
  std::string run(const std::string& program, const std::string& mechanism, Json total,
                  const std::string& options = "") {
    std::filesystem::copy_file(PRETEND_PROGRAM, directory_ / program, std::filesystem::copy_options::skip_existing);
    const Result r = warpfold("run --mechanism " + mechanism + " " + options + " -- ./" + program);
    EXPECT_EQ(r.status, 0) << r.err;
    const std::string mark = ", results in ";
    const auto at = r.out.find(mark) + mark.size();
    const std::string where = r.out.substr(at, r.out.find('\n', at) - at);
    write_file(where + "/stats.json", Json{{"total", std::move(total)}}.dump());
    return where;
  }
  // A PATH with everything but the tools of synthesis.
  void without_synthesis() { environment_ += " PATH='" + other_tools().string() + "'"; }
  // The tools say which version they are, as the key of what they made needs, and do nothing else.
  void without_work_for_synthesis() {
    namespace fs = std::filesystem;
    const fs::path tools = directory_ / "tools";
    fs::create_directories(tools);
    for (const auto& [name, question] :
         {std::pair("yosys", "-V"), std::pair("berkeley-abc", "-q version"), std::pair("sta", "-version")}) {
      std::ofstream(tools / name) << "#!/bin/sh\n[ \"$*\" = '" << question << "' ] && exec /usr/bin/" << name
                                  << " \"$@\"\nexit 1\n";
      fs::permissions(tools / name, fs::perms::owner_all);
    }
    environment_ += " PATH='" + tools.string() + ":" + other_tools().string() + "'";
  }

 private:
  // Thousands of links: once for all tests of a process.
  static std::filesystem::path other_tools() {
    struct Links {
      const std::filesystem::path folder =
          std::filesystem::path(testing::TempDir()) / ("warpfold_tools_" + std::to_string(getpid()));
      Links() {
        std::filesystem::create_directories(folder);
        for (const char* from : {"/usr/bin", "/bin"}) {
          for (const auto& entry : std::filesystem::directory_iterator(from)) {
            const std::string name = entry.path().filename();
            const bool synthesis = name.starts_with("yosys") || name == "sta" || name == "berkeley-abc";
            std::error_code there;
            if (!synthesis) std::filesystem::create_symlink(entry.path(), folder / name, there);
          }
        }
      }
      ~Links() { std::filesystem::remove_all(folder); }
    };
    static const Links links;
    return links.folder;
  }
};

}  // namespace warpfold
