// SPDX-License-Identifier: Apache-2.0
// `warpfold watch`: a page of a study, or of a run, that is made again while it goes, and that ends with it.
#include <algorithm>
#include <chrono>
#include <csignal>
#include <thread>

#include "tests/common/command_line.h"

namespace warpfold {
namespace watch_test {

namespace fs = std::filesystem;

class Watch : public CommandLineTest {
 protected:
  Watch() { fs::create_symlink(PRETEND_PROGRAM, directory_ / "prog"); }

  // Of two mechanisms, with a figure.
  void write_study(const std::string& workloads, const std::string& figure = "gain") const {
    write_file("s.yaml",
               "title: A study\npoints:\n  - part: main\n    machine: tbc2011\n    mechanism: [pdom, tbc]\n"
               "    workload: [" +
                   workloads + "]\nfigures:\n  - {name: " + figure +
                   ", title: t, sql: \"SELECT variant, speedup FROM s\", chart: {kind: "
                   "bars, x: variant, y: speedup}}\n");
  }
  // Until the file has all of the parts. Returns it.
  std::string wait_for(const std::string& file, const std::vector<std::string>& parts) const {
    using namespace std::chrono_literals;
    const auto end = std::chrono::steady_clock::now() + 20s;
    for (;;) {
      const std::string text = read_file(directory_ / file);
      const auto has = [&](const std::string& part) { return text.find(part) != std::string::npos; };
      if (std::all_of(parts.begin(), parts.end(), has)) return text;
      if (std::chrono::steady_clock::now() > end) {
        for (const std::string& part : parts) EXPECT_TRUE(has(part)) << part << " has not come into " << file;
        return text;
      }
      std::this_thread::sleep_for(10ms);
    }
  }
  std::string page(const std::string& file) const { return read_file(directory_ / file); }
  static bool whole(const std::string& text) { return text.ends_with("</html>\n"); }
};

TEST_F(Watch, AStudyFillsWhileItIsWatchedAndEnds) {
  write_study("./prog, ./prog fail, ./prog until go");
  const pid_t study = begin("study run s.yaml -j 2");
  wait_for("started", {"xx"});
  const pid_t watch = begin("watch results --every 0.1", "said");
  const std::string going = wait_for("results/watch.html", {": [4/6]; 2 finished, 2 failed, 2 running: prog "});
  EXPECT_TRUE(whole(going));
  expect_in(going, "\"watch\":{\"line\":\"Goes on at ");
  expect_in(going, "\"reload\":0.1}");
  expect_in(going, "\"title\":\"A study\"");
  expect_in(going, "\"columns\":[\"variant\",\"speedup\"],\"rows\":[[\"pdom\",1.0],[\"tbc\",1.5]]");
  write_file("go", "");
  EXPECT_EQ(end_of(study), 1);  // of the two that fail
  EXPECT_EQ(end_of(watch), 0);
  const std::string last = page("results/watch.html");
  EXPECT_TRUE(whole(last));
  expect_in(last, "\"watch\":{\"line\":\"Ended; seen at ");
  expect_in(last, ": [6/6]");
  expect_in(last, "; 4 finished, 2 failed\",\"reload\":0.0}");
  expect_in(last, "[[\"pdom\",1.0],[\"tbc\",1.5],[\"pdom\",1.0],[\"tbc\",1.5]]");
  const std::string said = read_file(directory_ / "said");
  EXPECT_TRUE(said.starts_with("results/watch.html\nEnded; seen at ")) << said;
  for (const auto& entry : fs::directory_iterator(directory_ / "results")) {
    const std::string name = entry.path().filename();
    EXPECT_TRUE(name == "watch.html" || name == "store.sqlite" || name == ".study.lock" || entry.is_directory())
        << name;
  }
}

// The newest study of a store is shown; nobody is left who would go on with it.
TEST_F(Watch, AStudyThatIsKilledIsTold) {
  write_study("./prog", "earlier");
  fs::rename(directory_ / "s.yaml", directory_ / "earlier.yaml");
  EXPECT_EQ(warpfold("study run earlier.yaml").status, 0);
  write_study("./prog, ./prog until go");
  const pid_t study = begin("study run s.yaml");
  wait_for("started", {"xx"});
  const pid_t watch = begin("watch results --every 0.1 --out page.html");
  expect_in(wait_for("page.html", {": [2/4]; 2 finished, 0 failed, 2 running"}), "\"links\":\"results/\"");
  kill(study, SIGKILL);
  end_of(study);
  EXPECT_EQ(end_of(watch), 0);
  expect_in(page("page.html"), "2 missing; to go on: warpfold study run s.yaml --store results\",\"reload\":0.0}");
  EXPECT_FALSE(fs::exists(directory_ / "results/watch.html"));
}

TEST_F(Watch, InterruptedItLeavesAWholePageThatStays) {
  write_study("./prog until go");
  const pid_t study = begin("study run s.yaml");
  wait_for("started", {"xx"});
  const pid_t watch = begin("watch results --every 3600");
  wait_for("results/watch.html", {"2 running"});
  kill(watch, SIGINT);
  EXPECT_EQ(end_of(watch), 0);
  const std::string last = page("results/watch.html");
  EXPECT_TRUE(whole(last));
  expect_in(last, "\"watch\":{\"line\":\"Watched until ");
  expect_in(last, "\"reload\":0.0}");
  write_file("go", "");
  EXPECT_EQ(end_of(study), 0);
}

TEST_F(Watch, ARunShowsItsLaunchesAndEnds) {
  const pid_t run = begin("run --out r -- ./prog until go");
  wait_for("started", {"x"});
  const pid_t watch = begin("watch r --every 0.1");
  const std::string going = wait_for("r/watch.html", {": [1]", "\"reload\":0.1}"});
  expect_in(going, "\"title\":\"prog until go on tbc2011 under pdom\"");
  expect_in(going, "no time left is told");
  expect_in(going, "[\"0\",\"issue\",1.0]");
  expect_in(going, "[\"work\",1,");
  write_file("go", "");
  EXPECT_EQ(end_of(run), 0);
  EXPECT_EQ(end_of(watch), 0);
  const std::string last = page("r/watch.html");
  EXPECT_TRUE(whole(last));
  expect_in(last, "; outcome: ok\",\"reload\":0.0}");
}

// Of a hundred launches, not a bar for each.
TEST_F(Watch, ManyLaunchesAreStretches) {
  std::string rows = "launch,kernel,cycles,schedulers,slot_memory\n";
  for (int i = 0; i < 100; ++i) rows += std::to_string(i) + ",0,100,2," + (i < 8 ? "50" : "150") + "\n";
  write_file("r/run.json", R"({"finished": false, "command": ["./p"], "machine": "m", "mechanism": "pdom"})");
  write_file("r/launches.csv", rows + "100,0,10");  // a line that is being written
  EXPECT_EQ(warpfold("watch r").status, 0);
  const std::string text = page("r/watch.html");
  expect_in(text, "[\"0–7\",\"issue\",0.75],[\"0–7\",\"memory\",0.25],[\"8–15\",\"issue\",0.25]");
  expect_in(text, "[\"96–99\",\"issue\",0.25],[\"96–99\",\"memory\",0.75]]");
  expect_in(text, "[\"kernel 0\",100,10000.0,0.29]");
  expect_in(text, "outcome: none, it was killed");
}

TEST_F(Watch, MistakesAreToldInALine) {
  EXPECT_EQ(warpfold("watch nowhere").err,
            "warpfold: error: nowhere: there is no such folder: name that of a study's --store or of a run's --out\n");
  fs::create_directory(directory_ / "empty");
  const Result neither = warpfold("watch empty");
  EXPECT_EQ(neither.status, 2);
  EXPECT_EQ(neither.err,
            "warpfold: error: empty: neither a study's store nor a run's results are in this folder: start warpfold "
            "study run --store empty or warpfold run --out empty\n");
  write_file("r/run.json", "{}");
  const Result unwritten = warpfold("watch r --out no/such/page.html");
  EXPECT_EQ(unwritten.status, 1);
  EXPECT_EQ(unwritten.err,
            "warpfold: error: no/such/page.html: cannot write this file: No such file or directory; name another page "
            "by --out\n");
  write_file("broken/store.sqlite", std::string(5000, 'x'));
  EXPECT_EQ(warpfold("watch broken").err,
            "warpfold: error: broken/store.sqlite: this is no store of results, or a damaged one: move it away\n");
  EXPECT_EQ(warpfold("watch r --every 0").status, 2);
  EXPECT_EQ(warpfold("watch").status, 2);
}

}  // namespace watch_test
}  // namespace warpfold
