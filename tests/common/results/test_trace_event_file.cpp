// SPDX-License-Identifier: Apache-2.0
// Files of trace events hold whole events at any time, whatever their names, and say so where they cannot be written.
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <unistd.h>

#include <csignal>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>

#include "warpfold/common/files/whole_file.h"
#include "warpfold/common/results/trace_event_file.h"

namespace warpfold {
namespace trace_event_file_test {

using Json = nlohmann::json;

class TraceEventFileTest : public testing::Test {
 protected:
  TraceEventFileTest()
      : path_(std::filesystem::path(testing::TempDir()) / ("warpfold_events_" + std::to_string(getpid()))) {}
  ~TraceEventFileTest() override { std::filesystem::remove(path_); }

  std::string text() const {
    std::ifstream file(path_);
    std::ostringstream all;
    all << file.rdbuf();
    return all.str();
  }

  const std::string path_;
};

TEST_F(TraceEventFileTest, HoldsEventsOfEveryKind) {
  TraceEventFile file(path_);
  file.name_process(7, "a \"core\"\n\xff", 3);
  file.name_thread({7, 2}, "warp", 4);
  file.begin({7, 2}, 10, trace_event("block", "warp", "\"block\":1"));
  file.slice({7, 2}, 11, 5, trace_event("add", "issue"));
  file.end({7, 2}, 20);
  file.instant({7, 2}, 20, trace_event("now", "barrier"));
  file.async_begin(7, 255, 12, trace_event("load", "load"));
  file.async_end(7, 255, 90, trace_event("load", "load"));
  file.counter(7, 100, "warps", "\"warps\":2.5");
  const std::uint64_t bytes = file.bytes();
  file.close();
  EXPECT_TRUE(file.closed());
  EXPECT_EQ(text().size(), bytes + 3);
  const Json events = Json::parse(text());
  ASSERT_EQ(events.size(), 11U);
  EXPECT_EQ(events[0]["args"]["name"], "a \"core\"\n\xef\xbf\xbd");
  EXPECT_EQ(events[1], Json::parse(R"({"ph":"M","pid":7,"ts":0,"name":"process_sort_index","args":{"sort_index":3}})"));
  EXPECT_EQ(events[2]["args"]["name"], "warp");
  EXPECT_EQ(events[4],
            Json::parse(R"({"ph":"B","pid":7,"tid":2,"ts":10,"name":"block","cat":"warp","args":{"block":1}})"));
  EXPECT_EQ(events[5], Json::parse(R"({"ph":"X","pid":7,"tid":2,"ts":11,"dur":5,"name":"add","cat":"issue"})"));
  EXPECT_EQ(events[6], Json::parse(R"({"ph":"E","pid":7,"tid":2,"ts":20})"));
  EXPECT_EQ(events[7], Json::parse(R"({"ph":"i","pid":7,"tid":2,"ts":20,"s":"t","name":"now","cat":"barrier"})"));
  EXPECT_EQ(events[8]["id"], "0xff");
  EXPECT_EQ(events[8]["id"], events[9]["id"]);
  EXPECT_EQ(events[10], Json::parse(R"({"ph":"C","pid":7,"ts":100,"name":"warps","args":{"warps":2.5}})"));
}

// What a killed program leaves lacks its last events and the bracket, which viewers do without.
TEST_F(TraceEventFileTest, IsWholeButForItsEndAtAnyTime) {
  TraceEventFile file(path_);
  for (unsigned n = 0; n < 2000; ++n) {
    file.instant({1, 1}, n, trace_event("an event with a name", "of some length"));
    if (n % 300 != 299) continue;
    if (n % 600 == 599) file.flush();
    const Json events = Json::parse(text() + "]", nullptr, false);
    ASSERT_TRUE(events.is_array()) << n;
    EXPECT_GE(events.size() + 1000, n) << "little is kept back";
  }
}

TEST_F(TraceEventFileTest, SaysThatItCannotBeWritten) {
  try {
    TraceEventFile file(path_ + "/none/here.json");
    FAIL() << "written";
  } catch (const WriteError& error) {
    EXPECT_EQ(error.what(), path_ + "/none/here.json: cannot write this file: No such file or directory");
  }
  EXPECT_THROW(TraceEventFile("/dev/full"), WriteError);
}

// As on a full disk.
TEST_F(TraceEventFileTest, EndsWithAWholeEventWhereThereIsNoMoreRoom) {
  rlimit before{};
  getrlimit(RLIMIT_FSIZE, &before);
  std::signal(SIGXFSZ, SIG_IGN);
  const rlimit little{100'000, before.rlim_max};
  setrlimit(RLIMIT_FSIZE, &little);
  TraceEventFile file(path_);
  const auto fill = [&] {
    for (unsigned n = 0; n < 10'000; ++n) file.instant({1, 1}, n, trace_event("an event with a name", "some"));
  };
  EXPECT_THROW(fill(), WriteError);
  setrlimit(RLIMIT_FSIZE, &before);
  EXPECT_TRUE(file.closed());
  EXPECT_NO_THROW(fill()) << "it has been said";
  EXPECT_NO_THROW(file.close());
  const Json events = Json::parse(text() + "]", nullptr, false);
  ASSERT_TRUE(events.is_array());
  EXPECT_GT(events.size(), 500U);
}

}  // namespace trace_event_file_test
}  // namespace warpfold
