// SPDX-License-Identifier: Apache-2.0
// Sources that are compiled at run time: what is part of them, what is kept, and what their logs say.
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>

#include "tests/host/front_end.h"
#include "warpfold/common/error.h"
#include "warpfold/host/nvrtc/runtime_program.h"

namespace warpfold::host::nvrtc {
namespace runtime_program_test {

constexpr const char* kKernel = "extern \"C\" __global__ void k(int* p) { *p = N; }\n";

// With a cache of its own.
class RuntimePrograms : public ::testing::Test {
 protected:
  RuntimePrograms() {
    if (const char* const variable = std::getenv("WARPFOLD_CACHE")) before_ = variable;
    setenv("WARPFOLD_CACHE", folder.path("cache").c_str(), 1);
  }
  ~RuntimePrograms() override {
    before_.empty() ? unsetenv("WARPFOLD_CACHE") : setenv("WARPFOLD_CACHE", before_.c_str(), 1);
  }
  unsigned kept() const {
    unsigned count = 0;
    if (!std::filesystem::exists(folder.path("cache"))) return 0;
    for (const auto& entry : std::filesystem::directory_iterator(folder.path("cache"))) {
      count += entry.path().filename().string().starts_with("nvrtc-") && entry.is_directory() ? 1 : 0;
    }
    return count;
  }
  ScratchFolder folder;

 private:
  std::string before_;
};

TEST_F(RuntimePrograms, AreKeptByWhatIsPartOfThem) {
  const auto ptx = [&](const std::string& text, const std::vector<std::string>& options) {
    RuntimeProgram program(kKernel, "k.cu", {{"n.h", text}});
    EXPECT_EQ(program.compile(options), Outcome::kCompiled) << program.log();
    return program.ptx();
  };
  const std::string first = ptx("", {"-DN=5"});
  EXPECT_EQ(count(first, "mov.u32 \t%r1, 5;"), 1U) << first;
  EXPECT_EQ(kept(), 1U);
  EXPECT_EQ(ptx("", {"-DN=5"}), first);
  EXPECT_EQ(kept(), 1U);
  EXPECT_NE(ptx("", {"-DN=6"}), first);
  EXPECT_EQ(ptx("//", {"-DN=5"}), first);
  EXPECT_EQ(kept(), 3U);
}

TEST_F(RuntimePrograms, AreNotKeptWhereAFileIsPartOfThem) {
  folder.write("n.h", "#define N 7\n");
  RuntimeProgram quoted(std::string("#include \"n.h\"\n") + kKernel, folder.path("k.cu"), {});
  EXPECT_EQ(quoted.compile({}), Outcome::kCompiled) << quoted.log();
  EXPECT_EQ(quoted.compile({"--no-source-include"}), Outcome::kWrongSource) << "it is not beside it any more";
  RuntimeProgram macro(std::string("#define H <n.h>\n#include H\n") + kKernel, "k.cu", {});
  EXPECT_EQ(macro.compile({"-I", folder.path("")}), Outcome::kCompiled) << macro.log();
  RuntimeProgram angle(std::string("#include <n.h>\n") + kKernel, "k.cu", {});
  EXPECT_EQ(angle.compile({"-I", folder.path("")}), Outcome::kCompiled) << angle.log();
  RuntimeProgram wrong("nonsense", "k.cu", {});
  EXPECT_EQ(wrong.compile({}), Outcome::kWrongSource);
  EXPECT_EQ(kept(), 0U);
  RuntimeProgram own(std::string("#include <stdint.h>\n#include \"n.h\"\n") + kKernel, "k.cu",
                     {{"n.h", "#define N 8\n"}});
  EXPECT_EQ(own.compile({}), Outcome::kCompiled) << own.log();
  EXPECT_EQ(kept(), 1U);
}

TEST_F(RuntimePrograms, CompileWithoutACache) {
  setenv("WARPFOLD_CACHE", "/proc/none/cache", 1);
  RuntimeProgram program(kKernel, "k.cu", {});
  EXPECT_EQ(program.compile({"-DN=1"}), Outcome::kCompiled) << program.log();
}

TEST_F(RuntimePrograms, HeadersLieWhereTheirNamesSay) {
  const std::vector<Header> headers = {
      {"in.h", "#include \"sub/deep.h\"\n"}, {"sub/deep.h", "#include \"../../up.h\"\n"},
      {"../up.h", "#define N UP\n"},         {"angle.h", "#define UP 9\n"},
      {"cstdint", "what is this\n"},         {"stdint.h", "what is that\n"}};
  RuntimeProgram program(std::string("#include \"in.h\"\n#include <angle.h>\n#include <cstdint>\n") + kKernel, "k.cu",
                         headers);
  ASSERT_EQ(program.compile({}), Outcome::kCompiled) << program.log();
  EXPECT_EQ(count(program.ptx(), "mov.u32 \t%r1, 9;"), 1U) << program.ptx();
  for (const char* const name : {"/abs.h", "../../../../../../../../../h.h", ""}) {
    EXPECT_THROW(RuntimeProgram("", "k.cu", {{name, ""}}), UserError) << name;
  }
}

TEST_F(RuntimePrograms, LogsNameTheUsersFiles) {
  RuntimeProgram program("#include \"bad.h\"\n\n__device__ int f() { return g(); }\n", "my \"own\".cu",
                         {{"bad.h", "\nint x = y;\n"}});
  ASSERT_EQ(program.compile({}), Outcome::kWrongSource);
  EXPECT_EQ(count(program.log(), "bad.h:2:9: error: use of undeclared identifier 'y'"), 1U) << program.log();
  EXPECT_EQ(count(program.log(), "my \"own\".cu:3:29: error: use of undeclared identifier 'g'"), 1U) << program.log();
  EXPECT_EQ(count(program.log(), "warpfold-nvrtc"), 0U) << program.log();
  EXPECT_EQ(program.ptx(), "");
  RuntimeProgram warned("#warning look here\n", "w.cu", {});
  ASSERT_EQ(warned.compile({}), Outcome::kCompiled);
  EXPECT_EQ(count(warned.log(), "w.cu:1:2: warning: look here"), 1U) << warned.log();
  ASSERT_EQ(warned.compile({}), Outcome::kCompiled) << "from the cache";
  EXPECT_EQ(count(warned.log(), "w.cu:1:2: warning: look here"), 1U) << warned.log();
  ASSERT_EQ(warned.compile({"--nonsense"}), Outcome::kWrongOption);
  EXPECT_EQ(warned.log(), "error: --nonsense: unknown option\n");
}

// Of -rdc=true, where static names are made ones that no other file has.
TEST_F(RuntimePrograms, TheSameTextsAreTheSamePtx) {
  folder.write("n.h", "#define N 7\n");
  const auto ptx = [&](const char* name) {
    RuntimeProgram program(
        std::string("#include <n.h>\nstatic __device__ int v;\n") + kKernel + "static __global__ void s() { v = 1; }\n",
        name, {});
    program.add_expression("s");
    program.add_expression("& v");
    EXPECT_EQ(program.compile({"-rdc=true", "-I" + folder.path("")}), Outcome::kCompiled) << program.log();
    EXPECT_EQ(count(program.ptx(), ".entry " + *program.lowered_name("s")), 2U) << "declared and defined";
    EXPECT_GE(count(program.ptx(), *program.lowered_name("& v")), 2U);
    EXPECT_EQ(program.lowered_name("v"), nullptr);
    EXPECT_EQ(count(program.ptx(), "lowered_name"), 0U);
    return program.ptx();
  };
  const std::string first = ptx("a.cu");
  EXPECT_EQ(first, ptx("a.cu"));
  EXPECT_NE(first, ptx("b.cu"));
  EXPECT_EQ(first.rfind("// warpfold: one of several modules of a program: a.cu\n", 0), 0U) << first;
}

TEST_F(RuntimePrograms, FunctionsMayBeTheDevicesByDefault) {
  RuntimeProgram program("int twice(int x) { return 2 * x; }\n__global__ void k(int* p) { *p = twice(*p); }\n", "d.cu",
                         {});
  EXPECT_EQ(program.compile({}), Outcome::kWrongSource);
  EXPECT_EQ(program.compile({"-default-device"}), Outcome::kCompiled) << program.log();
}

}  // namespace runtime_program_test
}  // namespace warpfold::host::nvrtc
