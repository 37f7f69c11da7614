// SPDX-License-Identifier: Apache-2.0
// main() for every test program, and the sc_main stub that libsystemc wants from whoever links it.
// --file=FOLDER/test_X.cpp runs the tests of that file.
#include <gtest/gtest.h>

#include <cstdio>
#include <string>
#include <string_view>

namespace {

// Of a file's path or the end of it.
std::string tests_of(std::string_view file) {
  const testing::UnitTest& all = *testing::UnitTest::GetInstance();
  std::string filter;
  for (int s = 0; s < all.total_test_suite_count(); ++s) {
    const testing::TestSuite& suite = *all.GetTestSuite(s);
    for (int t = 0; t < suite.total_test_count(); ++t) {
      const testing::TestInfo& test = *suite.GetTestInfo(t);
      if (std::string_view(test.file()).ends_with(file))
        filter.append(suite.name()).append(".").append(test.name()).append(":");
    }
  }
  return filter;
}

}  // namespace

int main(int argc, char** argv) {
  ::testing::InitGoogleTest(&argc, argv);
  constexpr std::string_view kFile = "--file=";
  if (argc == 2 && std::string_view(argv[1]).starts_with(kFile)) {
    const std::string tests = tests_of(argv[1] + kFile.size());
    if (tests.empty()) {
      std::fprintf(stderr, "%s: no tests of this file\n", argv[1]);
      return 2;
    }
    if (testing::GTEST_FLAG(filter) == "*") testing::GTEST_FLAG(filter) = tests;
  }
  return RUN_ALL_TESTS();
}

extern "C" int sc_main(int, char**) { return 0; }
