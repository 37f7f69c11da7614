// SPDX-License-Identifier: Apache-2.0
// How `warpfold` ends when something else than the simulation goes wrong: signals, programs that do not obey them,
// output that cannot be written, and programs without a kernel.
#include <sys/prctl.h>

#include <chrono>
#include <csignal>
#include <nlohmann/json.hpp>
#include <thread>
#include <vector>

#include "tests/common/command_line.h"

namespace warpfold {
namespace endings_test {

namespace fs = std::filesystem;

class Endings : public CommandLineTest {
 protected:
  // A file of the only run in the study; a name that is no file's, if there is none yet.
  std::string study(const std::string& file) const {
    const fs::path all = directory_ / "study/pretend/pdom";
    if (!fs::is_directory(all)) return all;
    const fs::directory_iterator key(all);
    return key == end(key) ? all : key->path() / file;
  }
  bool in_study(const std::string& file) const { return fs::is_regular_file(study(file)); }

  // Starts a comparison of one run and waits until the run has written this file.
  pid_t compare_until(const std::string& program, const std::string& file) const {
    const pid_t child = fork();
    if (child == 0) {
      for (const int request : {SIGINT, SIGTERM, SIGHUP}) std::signal(request, SIG_DFL);  // under nohup, too
      std::freopen("/dev/null", "w", stdout);
      std::freopen((directory_ / "messages").c_str(), "w", stderr);
      const std::string out = directory_ / "study";
      execl(WARPFOLD_PROGRAM, "warpfold", "compare", "--mechanisms", "pdom", "--out", out.c_str(), program.c_str(),
            nullptr);
      _exit(99);
    }
    for (int i = 0; i < 3000 && !in_study(file); ++i) std::this_thread::sleep_for(std::chrono::milliseconds(10));
    EXPECT_TRUE(in_study(file));
    return child;
  }

  // The program and its own child, which become this process's when their parents are gone; how each of them ended.
  std::vector<int> signals_that_ended_the_stubborn() const {
    std::istringstream in(read_file(study("processes")));
    std::vector<int> signals;
    for (pid_t process = 0; in >> process;) {
      int status = 0;
      EXPECT_EQ(waitpid(process, &status, 0), process);
      signals.push_back(WIFSIGNALED(status) ? WTERMSIG(status) : 0);
    }
    return signals;
  }

  const std::string pretend_ = PRETEND_PROGRAM;
};

// A terminal that is closed hangs up.
TEST_F(Endings, AnInterruptedCompareEndsItsProgramsAndKeepsResults) {
  for (const int request : {SIGINT, SIGTERM, SIGHUP}) {
    const pid_t child = compare_until(pretend_ + " hang", "stats.json.tmp-1-0");
    kill(child, request);
    int status = 0;
    ASSERT_EQ(waitpid(child, &status, 0), child);
    EXPECT_TRUE(WIFEXITED(status));
    EXPECT_EQ(WEXITSTATUS(status), 1) << request;
    EXPECT_EQ(read_file(directory_ / "messages"), "warpfold: interrupted; what has finished is kept\n");
    EXPECT_EQ(nlohmann::json::parse(read_file(study("stats.json")))["total"]["cycles"], 3000);
    EXPECT_FALSE(in_study("stats.json.tmp-1-0")) << "half written";
    fs::remove_all(directory_ / "study");
  }
}

TEST_F(Endings, NothingOutlivesAKilledCompare) {
  ASSERT_EQ(prctl(PR_SET_CHILD_SUBREAPER, 1), 0);
  const pid_t child = compare_until(pretend_ + " stubborn", "processes");
  kill(child, SIGKILL);
  ASSERT_EQ(waitpid(child, nullptr, 0), child);
  EXPECT_EQ(signals_that_ended_the_stubborn(), (std::vector<int>{SIGKILL, SIGKILL}));
}

TEST_F(Endings, NothingOutlivesAnInterruptedCompare) {
  ASSERT_EQ(prctl(PR_SET_CHILD_SUBREAPER, 1), 0);
  const pid_t child = compare_until(pretend_ + " stubborn", "processes");
  kill(child, SIGTERM);
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_EQ(WEXITSTATUS(status), 1);
  std::istringstream in(read_file(study("processes")));
  pid_t program = 0, its_child = 0;
  in >> program >> its_child;
  EXPECT_EQ(waitpid(program, &status, 0), -1) << "compare has waited for it";
  ASSERT_EQ(waitpid(its_child, &status, 0), its_child);
  EXPECT_EQ(WTERMSIG(status), SIGKILL);
}

// The program succeeded; there are no figures of it, nor any promised.
TEST_F(Endings, AProgramWithoutAKernelIsNoFailure) {
  const Result silent = warpfold("run --out here -- " + pretend_ + " silent");
  EXPECT_EQ(silent.status, 0);
  EXPECT_EQ(silent.out, "");
  EXPECT_EQ(silent.err, "warpfold: " + pretend_ + " launched no kernel: no results (built by warpfold-cc? warpfold's options come before it)\n");
  EXPECT_FALSE(fs::exists(directory_ / "here/run.json"));
  const Result compared = warpfold("compare --mechanisms pdom '" + pretend_ + " silent'");
  EXPECT_EQ(compared.status, 1);
  EXPECT_NE(compared.out.find("WRONG: it launched no kernel"), std::string::npos) << compared.out;
}

TEST_F(Endings, ResultsThatAreNotThereAreNotPromised) {
  EXPECT_EQ(warpfold("run --out here -- " + pretend_ + " fail").err.find("results so far"), std::string::npos);
}

TEST_F(Endings, LaunchesFromSeveralThreadsAreACaution) {
  const std::string caution = "caution: host threads that launch, in an order that may differ from run to run: ";
  const Result run = warpfold("run -- " + pretend_ + " threads");
  EXPECT_EQ(run.status, 0) << run.err;
  EXPECT_NE(run.out.find(caution + "pdom 2\n"), std::string::npos) << run.out;
  const Result compared = warpfold("compare --mechanisms pdom,tbc '" + pretend_ + " threads'");
  EXPECT_NE(compared.out.find(caution + "pdom 2, tbc 2\n"), std::string::npos) << compared.out;
  EXPECT_EQ(warpfold("run -- " + pretend_).out.find("caution"), std::string::npos);
}

// What a full disk, a closed stream or a full log does to each command.
TEST_F(Endings, OutputThatCannotBeWrittenIsAFailure) {
  for (const std::string& command :
       {std::string("list mechanisms"), std::string("--help"), std::string("machines diff tbc2011 gt200"),
        "run -- " + pretend_, "compare --mechanisms pdom " + pretend_}) {
    const Result full = warpfold(command, ">/dev/full");
    EXPECT_EQ(full.status, 1) << command;
    EXPECT_NE(full.err.find("warpfold: error: cannot write standard output: No space left on device\n"),
              std::string::npos)
        << command << full.err;
    const Result closed = warpfold(command, ">&-");
    EXPECT_EQ(closed.status, 1) << command;
    EXPECT_NE(closed.err.find("warpfold: error: cannot write standard output: Bad file descriptor\n"),
              std::string::npos)
        << command << closed.err;
  }
}

TEST_F(Endings, MessagesThatNobodyReadsChangeNothing) {
  const std::pair<std::string, int> commands[] = {{"list mechanisms", 0},
                                                  {"list nothing", 2},
                                                  {"run -- " + pretend_ + " silent", 0},
                                                  {"compare --mechanisms pdom " + pretend_, 0},
                                                  {"compare --mechanisms pdom '" + pretend_ + " fail'", 1}};
  for (const auto& [command, status] : commands) {
    for (const char* where : {"2>/dev/full", "2>&-"}) {
      EXPECT_EQ(warpfold(command, where).status, status) << command << where;
    }
  }
}

}  // namespace endings_test
}  // namespace warpfold
