// SPDX-License-Identifier: Apache-2.0
// Bundled programs are compiled when they are first asked for: a warpfold as it is installed, with workloads of the
// test's own and a stand-in for its compiler.
#include <fmt/format.h>

#include <algorithm>
#include <thread>

#include "tests/common/command_line.h"

namespace warpfold {
namespace bundled_test {

namespace fs = std::filesystem;

class Bundled : public CommandLineTest {
 protected:
  Bundled() {
    for (const char* folder : {"bin", "lib", "cuda/include"}) fs::create_directories(directory_ / home / folder);
    fs::copy_file(WARPFOLD_PROGRAM, directory_ / home / "bin/warpfold");
    for (const char* file : {"lib/warpfold_libdevice.bc", "lib/libwarpfold_cudart.so", "cuda/include/cuda.h"}) {
      write_file(home + file, "1");
    }
    compiler("");
    workload("good", "compile: [--keep-loop-exits]\n");
    workload("other", "");
    write_file(workloads + "common/all.h", "1");
    environment_ = "WARPFOLD_CACHE='" + (directory_ / "cache").string() + "'";
  }
  // It says what it is told to do, then does what `script` says, then makes the program that the tests run.
  void compiler(const std::string& script) const {
    const std::string path = home + "bin/warpfold-cc";
    write_file(path, fmt::format("#!/bin/bash\necho \"$@\" >> '{}/calls'\nset -e\n{}\ncp '{}' \"${{!#}}\"\n",
                                 directory_.string(), script, PRETEND_PROGRAM));
    fs::permissions(directory_ / path, fs::perms::owner_all);
  }
  void workload(const std::string& name, const std::string& more) const {
    write_file(workloads + name + "/workload.yaml",
               "name: " + name + "\ndescription: A program\nset: divergent\npapers: {tbc: divergent}\nsource: " + name +
                   ".cu\narguments:\n  small: [say, small]\n  default: [say, usual]\n" + more);
    write_file(workloads + name + "/" + name + ".cu", "1");
  }
  Result run(const std::string& arguments, const std::string& before = "") const {
    const std::string out = directory_ / "stdout", err = directory_ / "stderr";
    const std::string line = fmt::format("cd '{}' && {} {} {}bin/warpfold {} > '{}' 2> '{}'", directory_.string(),
                                         before, environment_, home, arguments, out, err);
    const int status = std::system(line.c_str());
    return {WIFEXITED(status) ? WEXITSTATUS(status) : -1, read_file(out), read_file(err)};
  }
  unsigned calls() const {
    const std::string text = read_file(directory_ / "calls");
    return static_cast<unsigned>(std::count(text.begin(), text.end(), '\n'));
  }
  // What the cache has that can be taken for a program, or for part of one.
  std::vector<std::string> kept() const {
    std::vector<std::string> names;
    for (const auto& entry : fs::directory_iterator(directory_ / "cache")) {
      const std::string extension = entry.path().extension();
      if (extension != ".lock" && extension != ".key" && extension != ".log") names.push_back(entry.path().filename());
    }
    return names;
  }
  void expect_one_line(const Result& r, int status, const std::string& words) const {
    EXPECT_EQ(r.status, status) << r.err;
    const std::size_t mark = r.err.find("warpfold: error: ");
    ASSERT_NE(mark, std::string::npos) << r.err;
    EXPECT_EQ(r.err.find('\n', mark), r.err.size() - 1) << r.err;
    EXPECT_NE(r.err.find(words, mark), std::string::npos) << r.err;
  }

  const std::string home = "prefix/lib/warpfold/", workloads = "prefix/share/warpfold/workloads/";
};

TEST_F(Bundled, CompiledOnceAndByNobodyWhoOnlyLists) {
  EXPECT_NE(run("list workloads").out.find("good"), std::string::npos);
  EXPECT_EQ(calls(), 0U);
  const Result first = run("run --size small -- good");
  EXPECT_EQ(first.status, 0) << first.err;
  EXPECT_NE(first.err.find("warpfold: compiling good, once\n"), std::string::npos) << first.err;
  EXPECT_EQ(first.out.find("compiling"), std::string::npos);
  EXPECT_NE(first.out.find("saying small"), std::string::npos);
  const std::string asked = read_file(directory_ / "calls");
  EXPECT_TRUE(asked.starts_with("-O3 --keep-loop-exits " + (directory_ / workloads / "good/good.cu -o ").string()))
      << asked;
  EXPECT_EQ(asked.find("other"), std::string::npos);
  const Result again = run("compare --mechanisms pdom,tbc good");
  EXPECT_EQ(again.status, 0) << again.err;
  EXPECT_EQ(again.err.find("compiling"), std::string::npos) << again.err;
  EXPECT_EQ(calls(), 1U);
}

TEST_F(Bundled, CompiledAnewWhenWhatItIsMadeOfChangesAndOnlyThen) {
  ASSERT_EQ(run("prepare all").status, 0);
  ASSERT_EQ(calls(), 2U);
  unsigned expected = 2;
  const auto changed = [&](const std::string& file, unsigned compiled) {
    write_file(file, "2");
    const Result r = run("prepare all");
    EXPECT_EQ(r.status, 0) << r.err;
    expected += compiled;
    EXPECT_EQ(calls(), expected) << file;
  };
  changed(home + "lib/libwarpfold_cudart.so", 0);
  changed(workloads + "good/good.cu", 1);
  changed(workloads + "common/all.h", 2);
  changed(home + "cuda/include/cuda.h", 2);
  changed(home + "cuda/include/new.h", 2);
  changed(home + "lib/warpfold_libdevice.bc", 2);
  workload("other", "compile: [-DX]\n");
  ASSERT_EQ(run("prepare all").status, 0);
  EXPECT_EQ(calls(), expected + 1) << "options";
  compiler("true");
  ASSERT_EQ(run("prepare all").status, 0);
  EXPECT_EQ(calls(), expected + 3) << "another compiler";
}

TEST_F(Bundled, PrepareSaysWhereTheyAre) {
  const Result r = run("prepare good tbc:divergent");
  EXPECT_EQ(r.status, 0) << r.err;
  std::istringstream lines(r.out);
  std::vector<std::string> paths;
  for (std::string line; std::getline(lines, line);) paths.push_back(line);
  ASSERT_EQ(paths.size(), 2U) << "each once";
  EXPECT_TRUE(paths[0].ends_with("/good") && paths[1].ends_with("/other")) << r.out;
  for (const std::string& path : paths) EXPECT_EQ(access(path.c_str(), X_OK), 0) << path;
  EXPECT_EQ(run("prepare -q all").err, "");
  expect_one_line(run("prepare goed"), 2, "goed: no bundled workload; did you mean 'good'?");
}

TEST_F(Bundled, ThatDoesNotCompile) {
  compiler("echo 'good.cu:3:1: error: no such thing'; echo 'more of it'; echo half > \"${!#}\"; exit 1");
  const Result r = run("run -- good");
  expect_one_line(r, 2, "error: workload good does not compile: good.cu:3:1: error: no such thing; log: ");
  const std::string log = r.err.substr(r.err.find("log: ") + 5, r.err.size() - r.err.find("log: ") - 6);
  EXPECT_EQ(read_file(log), "good.cu:3:1: error: no such thing\nmore of it\n");
  EXPECT_TRUE(kept().empty());
  EXPECT_FALSE(fs::exists(directory_ / "results"));
  compiler("");
  EXPECT_EQ(run("run -- good").status, 0) << "nothing stands in the way of the next try";
}

TEST_F(Bundled, WithoutTheCompiler) {
  fs::remove(directory_ / home / "bin/warpfold-cc");
  expect_one_line(
      run("run -- good"), 2,
      fmt::format("bin/warpfold-cc is missing: cmake --build {} --target warpfold-cc warpfold_cudart makes it",
                  (directory_ / home).lexically_normal().parent_path().string()));
}

// A limit on files stands for the disk: what does not fit ends the compiler's call.
TEST_F(Bundled, WhereThereIsNoRoomForIt) {
  expect_one_line(run("prepare good", "trap '' XFSZ; ulimit -f 1;"), 2, "workload good does not compile: ");
  EXPECT_TRUE(kept().empty());
  EXPECT_EQ(run("prepare good").status, 0);
}

TEST_F(Bundled, OneOfTwoAtOnceCompilesIt) {
  compiler("sleep 0.3");
  const std::string two = fmt::format(
      "cd '{0}' && export {1}; {2}bin/warpfold prepare good > one & {2}bin/warpfold prepare good > two; wait",
      directory_.string(), environment_, home);
  EXPECT_EQ(std::system(two.c_str()), 0);
  EXPECT_EQ(calls(), 1U);
  EXPECT_EQ(read_file(directory_ / "one"), read_file(directory_ / "two"));
  EXPECT_EQ(kept().size(), 1U);
}

// As scripts/corpus leaves them in the cache.
TEST_F(Bundled, OriginalsOfPapersAreFoundBesides) {
  expect_one_line(run("compare --mechanisms pdom originals:tbc"), 2,
                  "originals:tbc: not here; scripts/corpus tbc fetches and builds these programs");
  const std::string folder = "cache/originals/theirs/";
  fs::create_directories(directory_ / folder / "run");
  fs::permissions(directory_ / "cache", fs::perms::owner_all);
  write_file(folder + "a.cu", "1");
  write_file(folder + "b.cu", "1");
  write_file(folder + "workload.yaml",
             "name: theirs\ndescription: A program\nset: original\npapers: {originals: [tbc, harp]}\n"
             "sources: [a.cu, b.cu]\narguments: {default: [say, theirs]}\n");
  for (const char* set : {"originals:tbc", "originals:harp", "originals:all"}) {
    const Result r = run(fmt::format("compare --mechanisms pdom {}", set));
    EXPECT_EQ(r.status, 0) << r.err;
    EXPECT_NE(r.out.find("theirs"), std::string::npos) << r.out;
  }
  EXPECT_EQ(calls(), 1U);
  const std::string there = (directory_ / folder).string();
  EXPECT_NE(read_file(directory_ / "calls").find(there + "a.cu " + there + "b.cu -o "), std::string::npos);
  EXPECT_NE(run("run -- theirs").out.find("saying theirs"), std::string::npos);
  EXPECT_NE(run("list workloads").out.find("[originals:tbc originals:harp]"), std::string::npos)
      << run("list workloads").out;
  EXPECT_EQ(run("prepare all").out.find("theirs"), std::string::npos) << "all: the bundled ones";
  expect_one_line(run("compare --mechanisms pdom tbc:divergent --seeds 2 originals:tbc"), 2, "theirs: put {seed}");
}

TEST_F(Bundled, MistakesAreToldBeforeAnythingIsCompiled) {
  expect_one_line(run("compare --mechanisms pdom --machine tbc2012 good"), 2, "tbc2012");
  expect_one_line(run("compare --mechanisms pdom good god"), 2, "god: neither a bundled workload nor");
  expect_one_line(run("compare --mechanisms pdom --size large good"), 2,
                  "workload good has no size 'large'; it has default, small");
  EXPECT_EQ(calls(), 0U);
  const Result r = run("compare --mechanisms pdom good other");
  EXPECT_EQ(r.status, 0) << r.err;
  EXPECT_EQ(calls(), 2U);
}

}  // namespace bundled_test
}  // namespace warpfold
