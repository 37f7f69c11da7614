// SPDX-License-Identifier: Apache-2.0
// Where things are kept that are made when they are first asked for: in which directory, under what name, by whom.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <fstream>

#include "warpfold/common/error.h"
#include "warpfold/common/files/cache.h"
#include "warpfold/common/files/whole_file.h"

namespace warpfold {
namespace cache_test {

namespace fs = std::filesystem;

class Cache : public testing::Test {
 protected:
  Cache() {
    fs::create_directories(directory);
    setenv("WARPFOLD_CACHE", (directory / "cache").c_str(), 1);
  }
  ~Cache() override {
    fs::current_path("/");
    fs::remove_all(directory);
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
  static std::size_t entries(const fs::path& folder) {
    return static_cast<std::size_t>(std::distance(fs::directory_iterator(folder), fs::directory_iterator()));
  }

  const fs::path directory = fs::path(testing::TempDir()) / ("warpfold_cache_" + std::to_string(getpid()));
};

TEST_F(Cache, WhatIsThereIsNotMadeAgain) {
  unsigned made = 0;
  const auto make = [&](const Scratch& scratch) { write_whole_file(scratch.file(kMade), std::to_string(++made)); };
  const fs::path place = kept_in_cache("thing", make);
  EXPECT_EQ(place, directory / "cache/thing");
  EXPECT_EQ(kept_in_cache("thing", make), place);
  EXPECT_EQ(read_text(place), "1");
  EXPECT_EQ(read_text(kept_in_cache("other", make)), "2");
}

TEST_F(Cache, AFolderIsThereWholeOrNotAtAll) {
  const auto fails = [](const Scratch& scratch) {
    fs::create_directory(scratch.file(kMade));
    write_whole_file(scratch.file("made/one"), "1");
    user_error("no second one");
  };
  EXPECT_EQ(complaint([&] { kept_in_cache("pair", fails); }), "no second one");
  EXPECT_EQ(entries(directory / "cache"), 1U) << "but for the lock";
  const fs::path place = kept_in_cache("pair", [](const Scratch& scratch) {
    fs::create_directory(scratch.file(kMade));
    write_whole_file(scratch.file("made/one"), "1");
    write_whole_file(scratch.file("made/two"), "2");
  });
  EXPECT_EQ(read_text(place / "two"), "2");
  EXPECT_EQ(entries(directory / "cache"), 2U) << "and the lock";
}

TEST_F(Cache, OneProcessMakesItAndTheOthersWait) {
  const auto make = [&](const Scratch& scratch) {
    const int log = open((directory / "log").c_str(), O_WRONLY | O_CREAT | O_APPEND, 0600);
    EXPECT_EQ(write(log, "x", 1), 1);
    close(log);
    usleep(100'000);
    write_whole_file(scratch.file(kMade), "made");
  };
  for (unsigned i = 0; i < 4; ++i) {
    if (fork() == 0) _exit(read_text(kept_in_cache("thing", make)) == "made" ? 0 : 1);
  }
  for (unsigned i = 0; i < 4; ++i) {
    int status = 1;
    wait(&status);
    EXPECT_EQ(status, 0);
  }
  EXPECT_EQ(read_text(directory / "log"), "x");
}

TEST_F(Cache, WhatKilledMakersHaveLeftIsClearedAway) {
  const auto killed = [](const Scratch& scratch) {
    write_whole_file(scratch.file(kMade), "half");
    _exit(0);
  };
  if (fork() == 0) kept_in_cache("thing", killed);
  wait(nullptr);
  EXPECT_EQ(entries(directory / "cache"), 2U) << "the lock and what the killed one had begun";
  EXPECT_FALSE(fs::exists(directory / "cache/thing"));
  const auto make = [](const Scratch& scratch) { write_whole_file(scratch.file(kMade), "whole"); };
  EXPECT_EQ(read_text(kept_in_cache("thing", make)), "whole");
  EXPECT_EQ(entries(directory / "cache"), 2U) << "the lock and the thing";
}

TEST_F(Cache, KeysOfFilesAndFolders) {
  const auto key = [&] { return Hash().add_folder(directory / "folder").name(); };
  fs::create_directories(directory / "folder/below");
  write_whole_file(directory / "folder/below/a", "1");
  write_whole_file(directory / "folder/b", "2");
  const std::string first = key();
  EXPECT_EQ(key(), first);
  const Hash parts =
      Hash().add("b").add_file(directory / "folder/b").add("below/a").add_file(directory / "folder/below/a");
  EXPECT_EQ(first, parts.name()) << "in the order of their names";
  write_whole_file(directory / "folder/below/a", "3");
  EXPECT_NE(key(), first);
  write_whole_file(directory / "folder/below/a", "1");
  EXPECT_EQ(key(), first);
  fs::rename(directory / "folder/b", directory / "folder/c");
  EXPECT_NE(key(), first);
  EXPECT_EQ(Hash().add_file(directory / "folder/c").name(), Hash().add(Sha256().update("2").hex()).name());
  const std::string none = (directory / "none").string();
  EXPECT_EQ(complaint([&] { Hash().add_file(none); }), none + ": cannot read this file: No such file or directory");
  EXPECT_EQ(complaint([&] { Hash().add_folder(none); }), none + ": cannot read this folder: No such file or directory");
}

TEST_F(Cache, ARememberedKeyIsThatOfTheContents) {
  const fs::path folder = directory / "folder", file = folder / "a";
  const auto key = [&] { return remembered_key("things", folder); };
  fs::create_directories(folder);
  write_whole_file(file, "1");
  const std::string first = key();
  EXPECT_EQ(first, Hash().add_folder(folder).name());
  EXPECT_EQ(key(), first);
  // As long and as old as what was there.
  const auto time = fs::last_write_time(file);
  usleep(20'000);
  std::ofstream(file) << "2";
  fs::last_write_time(file, time);
  EXPECT_EQ(key(), Hash().add_folder(folder).name());
  EXPECT_NE(key(), first);
  write_whole_file(folder / "b", "");
  EXPECT_EQ(key(), Hash().add_folder(folder).name()) << "one more";
  // What is remembered is believed while all looks as it did, so a test that would read all again would show here.
  for (const auto& entry : fs::directory_iterator(directory / "cache")) {
    const std::string text = *read_text(entry.path());
    std::ofstream(entry.path()) << text.substr(0, 65) << "remembered";
  }
  EXPECT_EQ(key(), "remembered");
}

TEST_F(Cache, LogsAreKeptInOne) {
  const Scratch scratch("logs");
  std::ofstream(scratch.file("a.log")) << "first\n";
  std::ofstream(scratch.file("b.log")) << "second\n";
  EXPECT_EQ(read_text(scratch.keep_logs("all.log")), "first\nsecond\n");
  fs::create_directory(directory / "cache/folder");
  EXPECT_THROW(scratch.keep_logs("folder"), WriteError) << "what cannot be written is told";
}

TEST_F(Cache, CacheDirectories) {
  unsetenv("WARPFOLD_CACHE");
  setenv("XDG_CACHE_HOME", (directory / "xdg").c_str(), 1);
  setenv("HOME", (directory / "home").c_str(), 1);
  EXPECT_EQ(cache_directory(), directory / "xdg/warpfold");
  unsetenv("XDG_CACHE_HOME");
  EXPECT_EQ(cache_directory(), directory / "home/.cache/warpfold");
  unsetenv("HOME");
  EXPECT_EQ(complaint([] { cache_directory(); }),
            "no directory to keep what is compiled in: set WARPFOLD_CACHE to one");
  setenv("WARPFOLD_CACHE", "relative", 1);
  fs::current_path(directory);
  EXPECT_EQ(cache_directory(), directory / "relative") << "it is the same after a change of directory";
}

TEST_F(Cache, AFolderThatIsAskedForIsNotMade) {
  EXPECT_EQ(folder_in_cache("originals"), std::nullopt);
  EXPECT_FALSE(fs::exists(directory / "cache"));
  fs::create_directories(directory / "cache/originals");
  EXPECT_EQ(folder_in_cache("originals"), directory / "cache/originals");
  fs::permissions(directory / "cache", fs::perms::others_write, fs::perm_options::add);
  EXPECT_THROW(folder_in_cache("originals"), UserError) << "what others may have put there is not run";
  for (const char* name : {"WARPFOLD_CACHE", "XDG_CACHE_HOME", "HOME"}) unsetenv(name);
  EXPECT_EQ(folder_in_cache("originals"), std::nullopt) << "where no place is known, there is none";
}

TEST_F(Cache, ARelativeXdgDirectoryIsIgnored) {
  unsetenv("WARPFOLD_CACHE");
  setenv("XDG_CACHE_HOME", "xdg", 1);
  setenv("HOME", (directory / "home").c_str(), 1);
  EXPECT_EQ(cache_directory(), directory / "home/.cache/warpfold");
  setenv("HOME", "home", 1);
  EXPECT_EQ(complaint([] { cache_directory(); }),
            "no directory to keep what is compiled in: set WARPFOLD_CACHE to one");
}

// What lies there is loaded into the simulator.
TEST_F(Cache, ACacheThatOthersMayWrite) {
  const auto refused = [&](const std::string& name) {
    setenv("WARPFOLD_CACHE", (directory / name).c_str(), 1);
    const std::string said = complaint([] { cache_directory(); });
    const std::string begin = (directory / name).string() + ": cannot keep what is compiled in this directory: ";
    const std::string end = "; set WARPFOLD_CACHE to another";
    if (!said.starts_with(begin) || !said.ends_with(end)) return said;
    return said.substr(begin.size(), said.size() - begin.size() - end.size());
  };
  EXPECT_EQ(refused("made/by/us"), "");
  for (const char* made : {"made", "made/by", "made/by/us"}) {
    EXPECT_EQ(fs::status(directory / made).permissions(), fs::perms::owner_all) << made;
  }
  fs::permissions(directory / "made/by/us", fs::perms(0755));
  EXPECT_EQ(refused("made/by/us"), "");
  for (const unsigned mode : {0775U, 0757U, 01777U}) {
    fs::permissions(directory / "made/by/us", fs::perms(mode));
    EXPECT_EQ(refused("made/by/us"), "others may write it: chmod go-w it") << mode;
  }
  fs::permissions(directory / "made/by/us", fs::perms(0700));
  fs::permissions(directory / "made", fs::perms(0777));
  EXPECT_EQ(refused("made/by/us"), (directory / "made").string() + " may be written by everybody");
  fs::permissions(directory / "made", fs::perms(01777));
  EXPECT_EQ(refused("made/by/us"), "") << "as /tmp is";
  fs::create_directory_symlink(directory / "made/by/us", directory / "link");
  EXPECT_EQ(refused("link"), "it is a symbolic link: name the directory itself");
  write_whole_file(directory / "file", "");
  EXPECT_EQ(refused("file"), "it is no directory");
  if (geteuid() == 0 && chown((directory / "made/by/us").c_str(), 1, 1) == 0) {
    EXPECT_EQ(refused("made/by/us"), "it belongs to somebody else");
  }
}

// Two keys are the same only where all that went into them is.
TEST_F(Cache, KeysAreDigestsOfAllThatIsAdded) {
  EXPECT_EQ(Hash().add("ab").add("c").name(), Hash().add("ab").add("c").name());
  EXPECT_NE(Hash().add("ab").add("c").name(), Hash().add("a").add("bc").name());
  EXPECT_NE(Hash().add("a").name(), Hash().add("a").add("").name());
  // printf '2:ab1:c' | sha256sum
  EXPECT_EQ(Hash().add("ab").add("c").name(), "430fb1b4ac43316eca81fab27a1930ab8eff8fef6a1dc7903dce44bbc2790dc5");
}

}  // namespace cache_test
}  // namespace warpfold
