// SPDX-License-Identifier: Apache-2.0
// Help, man pages and completion come from the table of options: what a real bash offers, what troff says of the pages.
#include <algorithm>
#include <set>
#include <sstream>

#include "tests/common/command_line.h"

namespace warpfold {
namespace completion_test {

namespace fs = std::filesystem;

class Completion : public CommandLineTest {
 protected:
  Result shell(const std::string& script) const {
    write_file("script", script);
    const std::string out = directory_ / "out", err = directory_ / "err";
    const std::string line = "cd '" + directory_.string() + "' && bash script >'" + out + "' 2>'" + err + "'";
    const int status = std::system(line.c_str());
    return {WIFEXITED(status) ? WEXITSTATUS(status) : -1, read_file(out), read_file(err)};
  }
  // What bash offers for the words that it has taken a line apart to.
  std::set<std::string> offered(const std::string& line, const std::string& words) const {
    const Result r = shell("compopt() { :; }\nsource <('" WARPFOLD_PROGRAM "' completion bash)\nCOMP_LINE='" + line +
                           "'\nCOMP_POINT=${#COMP_LINE}\nCOMP_WORDS=('" WARPFOLD_PROGRAM "' " + words +
                           ")\nCOMP_CWORD=$((${#COMP_WORDS[@]} - 1))\n_warpfold\nprintf '%s\\n' \"${COMPREPLY[@]}\"\n");
    EXPECT_EQ(r.err, "") << line;
    std::set<std::string> all;
    std::istringstream lines(r.out);
    for (std::string word; std::getline(lines, word);) all.insert(word);
    return all;
  }
  static std::set<std::string> set(std::initializer_list<std::string> words) { return words; }
};

TEST_F(Completion, BashOffersCommandsOptionsAndValues) {
  EXPECT_EQ(offered("warpfold ma", "ma"), set({"machines", "man", "masks"}));
  EXPECT_EQ(offered("warpfold run --mach", "run --mach"), set({"--machine"}));
  EXPECT_EQ(offered("warpfold run --machine tb", "run --machine tb"), set({"tbc2011", "tbc2011-325mhz"}));
  EXPECT_EQ(offered("warpfold run --machine=gt", "run --machine = gt"), set({"gt200", "gtx480"}));
  EXPECT_EQ(offered("warpfold machines diff tbc2011 gt", "machines diff tbc2011 gt"), set({"gt200", "gtx480"}));
  EXPECT_EQ(offered("warpfold compare --mechanisms pdom,tb", "compare --mechanisms pdom,tb"),
            set({"pdom,tbc", "pdom,tbc-lcp"}));
  EXPECT_EQ(offered("warpfold compare --simd bcc,", "compare --simd bcc,"), set({"bcc,none", "bcc,ivb", "bcc,scc"}));
  EXPECT_EQ(offered("warpfold run --size ", "run --size ''"), set({"small", "default", "large", "one-block"}));
  EXPECT_EQ(offered("warpfold list s", "list s"), set({"statistics", "simd"}));
  EXPECT_EQ(offered("warpfold run --set core.warp_s", "run --set core.warp_s"), set({"core.warp_size="}));
  EXPECT_EQ(offered("warpfold help machines d", "help machines d"), set({""}));
}

TEST_F(Completion, BashOffersProgramsAndFiles) {
  write_file("graph.txt", "");
  write_file("traces/one.masks", "");
  EXPECT_TRUE(offered("warpfold compare bf", "compare bf").contains("bfs"));
  EXPECT_TRUE(offered("warpfold run -- m", "run -- m").contains("matmul"));
  EXPECT_EQ(offered("warpfold run -- bfs gr", "run -- bfs gr"), set({"graph.txt"})) << "a program's own arguments";
  EXPECT_EQ(offered("warpfold masks tr", "masks tr"), set({"traces"}));
  EXPECT_EQ(offered("warpfold compare --out t", "compare --out t"), set({"traces"}));
}

TEST_F(Completion, OtherShellsReadTheirs) {
  EXPECT_TRUE(warpfold("completion zsh").out.starts_with("#compdef warpfold\n"));
  EXPECT_NE(warpfold("completion fish").out.find("complete -c warpfold "), std::string::npos);
  const Result r = warpfold("completion tcsh");
  EXPECT_EQ(r.status, 2);
  EXPECT_EQ(std::count(r.err.begin(), r.err.end(), '\n'), 1) << r.err;
}

TEST_F(Completion, HelpIsACommandToo) {
  EXPECT_EQ(warpfold("help").out, warpfold("--help").out);
  EXPECT_EQ(warpfold("help run").out, warpfold("run --help").out);
  EXPECT_NE(warpfold("help machines diff").out.find("Usage: warpfold machines diff "), std::string::npos);
  const Result r = warpfold("help machines dif");
  EXPECT_EQ(r.status, 2);
  EXPECT_EQ(r.err, "warpfold: error: dif: no such command; did you mean 'diff'?\n");
  EXPECT_EQ(warpfold("man run diff").err, "warpfold: error: diff: run has no commands\n");
}

// Every command has a page, and troff has nothing to say of any.
TEST_F(Completion, ManPagesAreWhatTroffWants) {
  fs::create_directory(directory_ / "man");
  ASSERT_EQ(warpfold("man --out man").status, 0);
  for (const char* page : {"warpfold.1", "warpfold-run.1", "warpfold-machines-diff.1", "warpfold-token-stack.1"}) {
    EXPECT_TRUE(fs::exists(directory_ / "man" / page)) << page;
  }
  EXPECT_FALSE(fs::exists(directory_ / "man/warpfold-complete.1")) << "for scripts only";
  const Result troff = shell("for page in man/*.1; do groff -man -ww -Tutf8 \"$page\" > /dev/null; done");
  EXPECT_EQ(troff.err, "");
  const Result text = shell("'" WARPFOLD_PROGRAM "' man compare | groff -man -Tascii -P-cbou");
  EXPECT_NE(text.out.find("warpfold compare [OPTIONS] [programs...]"), std::string::npos) << text.out;
  EXPECT_NE(text.out.find("-j, --jobs COUNT"), std::string::npos) << text.out;
}

}  // namespace completion_test
}  // namespace warpfold
