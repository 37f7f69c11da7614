// SPDX-License-Identifier: Apache-2.0
#include "tests/gpu/contract/kernel_generator.h"

#include <fmt/format.h>

#include <random>

#include "tests/gpu/kernel_machine.h"

namespace warpfold {
namespace {

using Kind = Statement::Kind;
using Body = std::vector<Statement>;

constexpr unsigned kDepth = 3;       // of nested ifs, loops and switches
constexpr unsigned kStatements = 4;  // of a body, at most
constexpr Kind kSimple[] = {Kind::kCompute, Kind::kPredicated, Kind::kLoad, Kind::kStore, Kind::kAtomic};
constexpr Kind kNested[] = {Kind::kIf,     Kind::kIf,       Kind::kIf,      Kind::kWhile,
                            Kind::kWhile,  Kind::kDoWhile,  Kind::kSwitch,  Kind::kTangle,
                            Kind::kReturn, Kind::kExchange, Kind::kExchange};

// Modulo and not a distribution: the same kernels with every standard library.
class Generator {
 public:
  explicit Generator(std::uint32_t seed) : random_(seed) {}

  Body body(unsigned depth, unsigned loops) {
    Body statements;
    for (unsigned count = 1 + below(kStatements); count > 0; --count) statements.push_back(statement(depth, loops));
    return statements;
  }

 private:
  std::uint32_t below(std::uint32_t bound) { return static_cast<std::uint32_t>(random_() % bound); }

  Statement statement(unsigned depth, unsigned loops) {
    Statement made;
    made.value = static_cast<std::uint32_t>(random_());
    if (loops > 0 && below(5) == 0) {
      made.kind = below(2) == 0 ? Kind::kBreak : Kind::kContinue;
      return made;
    }
    if (depth == 0 || below(5) < 2) {
      made.kind = kSimple[below(std::size(kSimple))];
      return made;
    }
    made.kind = kNested[below(std::size(kNested))];
    made.uniform = below(4) == 0;
    const bool loop = made.kind == Kind::kWhile || made.kind == Kind::kDoWhile;
    unsigned bodies = loop ? 1 : 0;
    if (made.kind == Kind::kIf) bodies = 1 + below(2);
    if (made.kind == Kind::kSwitch) bodies = 2 + below(3);
    for (; bodies > 0; --bodies) made.bodies.push_back(body(depth - 1, loops + (loop ? 1 : 0)));
    return made;
  }

  std::mt19937 random_;
};

bool leaves(const Body& body) {
  for (const Statement& statement : body) {
    if (statement.kind == Kind::kBreak || statement.kind == Kind::kContinue || statement.kind == Kind::kReturn)
      return true;
    for (const Body& inner : statement.bodies) {
      if (leaves(inner)) return true;
    }
  }
  return false;
}

// %r7 is the thread's own generator of numbers, %r6 its result, %r2 the number of its block, %r20 … loop counters, %rd6
// the thread's own word of shared memory, %rd7 its neighbour's.
class Writer {
 public:
  std::string text =
      "mov.u32 %r7, %r5;\nmul.wide.u32 %rd6, %r1, 4;\nmov.u64 %rd8, box;\nadd.s64 %rd6, %rd8, %rd6;\n"
      "xor.b32 %r8, %r1, 1;\nmul.wide.u32 %rd7, %r8, 4;\nadd.s64 %rd7, %rd8, %rd7;\n";

  void write(const Body& body) {
    for (const Statement& statement : body) write(statement);
  }

 private:
  void write(const Statement& statement) {
    switch (statement.kind) {
      case Kind::kIf:
        return write_if(statement);
      case Kind::kWhile:
      case Kind::kDoWhile:
        return write_loop(statement);
      case Kind::kSwitch:
        return write_switch(statement);
      case Kind::kTangle:
        return write_tangle(statement);
      case Kind::kBreak:
      case Kind::kContinue:
        if (loops_.empty()) return;
        condition(statement, false);
        line("@%p1 bra {}{};", statement.kind == Kind::kBreak ? "BREAK" : "NEXT", loops_.back());
        return;
      case Kind::kReturn:
        condition(statement, false);
        line("@%p1 {};", statement.value % 2 == 0 ? "bra DONE" : "ret");
        returned_ = true;
        return;
      case Kind::kExchange:
        if (shared_by_block_ && !returned_)
          line(
              "st.shared.u32 [%rd6], %r6;\nbar.sync 0;\nld.shared.u32 %r8, [%rd7];\nadd.u32 %r6, %r6, %r8;\nbar.sync "
              "0;");
        return;
      default:
        return write_simple(statement);
    }
  }

  void write_simple(const Statement& statement) {
    step(statement);
    switch (statement.kind) {
      case Kind::kPredicated:
        line(
            "and.b32 %r8, %r7, {0};\nsetp.eq.u32 %p2, %r8, 0;\n@%p2 add.u32 %r6, %r6, {1};\n@!%p2 xor.b32 %r6, %r6, "
            "{1};",
            1u << (16 + statement.value % 8), statement.value % 9973);
        break;
      case Kind::kLoad:
        line(
            "shr.u32 %r8, %r7, 20;\nand.b32 %r8, %r8, 63;\nmul.wide.u32 %rd9, %r8, 4;\nadd.s64 %rd9, %rd2, %rd9;\n"
            "ld.global.u32 %r8, [%rd9];\nadd.u32 %r6, %r6, %r8;");
        break;
      case Kind::kStore:
        line("st.global.u32 [%rd4], %r6;");
        break;
      case Kind::kAtomic:
        line("red.global.{}.u32 [%rd1+{}], %r7;", statement.value % 2 == 0 ? "add" : "max",
             2048 + 4 * (statement.value % 64));
        break;
      default:
        line("xor.b32 %r6, %r6, %r7;");
    }
  }

  // %p1 = does the statement concern this thread?
  void condition(const Statement& statement, bool uniform) {
    const std::uint32_t value = statement.value >> 4;
    if (uniform) {
      line("and.b32 %r8, %r2, 1;\nsetp.eq.u32 %p1, %r8, {};", value % 2);
      return;
    }
    step(statement);
    switch (value % 4) {
      case 0:  // by the number of the thread: alike for all blocks, and in every turn of a loop
        line("and.b32 %r8, %r1, {};\nsetp.eq.u32 %p1, %r8, 0;", 1u << (value / 4 % 5));
        break;
      case 1:  // few
        line("shr.u32 %r8, %r7, 24;\nsetp.lt.u32 %p1, %r8, 20;");
        break;
      default:  // half of them, at random
        line("and.b32 %r8, %r7, {};\nsetp.eq.u32 %p1, %r8, 0;", 1u << (16 + value / 4 % 12));
    }
  }

  void write_if(const Statement& statement) {
    const unsigned label = labels_++;
    condition(statement, statement.uniform);
    line("@%p1 bra ELSE{};", label);
    Shared shared(*this, statement.uniform);
    write(statement.bodies[0]);
    if (statement.bodies.size() > 1) line("bra END{};", label);
    line("ELSE{}:", label);
    if (statement.bodies.size() > 1) write(statement.bodies[1]);
    line("END{}:", label);
  }

  void write_loop(const Statement& statement) {
    const unsigned label = labels_++, counter = 20 + static_cast<unsigned>(loops_.size());
    const bool tested_first = statement.kind == Kind::kWhile;
    step(statement);
    if (statement.uniform) {
      line("mov.u32 %r{}, {};", counter, 1 + statement.value % 3);
    } else {
      line("shr.u32 %r{0}, %r7, 18;\nand.b32 %r{0}, %r{0}, 3;", counter);
      if (!tested_first) line("add.u32 %r{0}, %r{0}, 1;", counter);
    }
    Shared shared(*this, statement.uniform && !leaves(statement.bodies[0]));
    loops_.push_back(label);
    line("LOOP{}:", label);
    if (tested_first) line("setp.eq.u32 %p1, %r{}, 0;\n@%p1 bra BREAK{};", counter, label);
    line("sub.u32 %r{0}, %r{0}, 1;", counter);
    write(statement.bodies[0]);
    line("NEXT{}:", label);
    if (tested_first) {
      line("bra LOOP{};", label);
    } else {
      line("setp.ne.u32 %p1, %r{}, 0;\n@%p1 bra LOOP{};", counter, label);
    }
    line("BREAK{}:", label);
    loops_.pop_back();
  }

  void write_switch(const Statement& statement) {
    const unsigned label = labels_++;
    Shared shared(*this, false);
    step(statement);
    line("shr.u32 %r9, %r7, 17;\nrem.u32 %r9, %r9, {};", statement.bodies.size());
    if ((statement.value >> 8) % 2 == 0) {
      std::string cases;
      for (unsigned i = 0; i < statement.bodies.size(); ++i)
        cases += fmt::format("{}CASE{}_{}", i == 0 ? "" : ", ", label, i);
      line("CASES{0}: .branchtargets {1};\nbrx.idx %r9, CASES{0};", label, cases);
    } else {
      for (unsigned i = 0; i < statement.bodies.size(); ++i)
        line("setp.eq.u32 %p1, %r9, {0};\n@%p1 bra CASE{1}_{0};", i, label);
    }
    for (unsigned i = 0; i < statement.bodies.size(); ++i) {
      line("CASE{}_{}:", label, i);
      write(statement.bodies[i]);
      if ((statement.value >> i) % 4 != 0) line("bra END{};", label);  // else it falls through
    }
    line("END{}:", label);
  }

  // Three to six blocks, each of which may go to any other, for at most so many steps.
  void write_tangle(const Statement& statement) {
    const unsigned label = labels_++;
    std::minstd_rand random(statement.value);
    const auto below = [&](unsigned bound) { return static_cast<unsigned>(random() / 16 % bound); };
    const unsigned blocks = 3 + below(4);
    line("mov.u32 %r10, {};", 4 + below(8));
    for (unsigned i = 0; i < blocks; ++i) {
      line("T{}_{}:", label, i);
      step(statement);
      line("add.u32 %r6, %r6, {};\nsub.u32 %r10, %r10, 1;\nsetp.eq.u32 %p1, %r10, 0;\n@%p1 bra T{}_{};", i, label,
           blocks);
      for (unsigned exits = 1 + below(2); exits > 0; --exits) {
        line("and.b32 %r8, %r7, {};\nsetp.eq.u32 %p1, %r8, 0;\n@%p1 bra T{}_{};", 1u << (16 + below(12)), label,
             below(blocks));
      }
      if (below(3) == 0) {
        line("bra T{}_{};", label, below(blocks + 1));
      } else if ((statement.value >> i) % 4 == 0) {
        line("shr.u32 %r8, %r7, 27;\nrem.u32 %r8, %r8, 3;");
        line("WAYS{0}_{1}: .branchtargets T{0}_{2}, T{0}_{3}, T{0}_{4};\nbrx.idx %r8, WAYS{0}_{1};", label, i,
             below(blocks), below(blocks), below(blocks + 1));
      }
    }
    line("T{}_{}:", label, blocks);
  }

  void step(const Statement& statement) { line("mad.lo.u32 %r7, %r7, 1664525, {};", statement.value | 1); }

  template <class... Arguments>
  void line(fmt::format_string<Arguments...> format, Arguments&&... arguments) {
    text += fmt::format(format, std::forward<Arguments>(arguments)...) + '\n';
  }

  // While it lives, is the flow still shared by the whole block?
  class Shared {
   public:
    Shared(Writer& writer, bool stays) : writer_(writer), before_(writer.shared_by_block_) {
      writer.shared_by_block_ = before_ && stays;
    }
    ~Shared() { writer_.shared_by_block_ = before_; }

   private:
    Writer& writer_;
    bool before_;
  };

  unsigned labels_ = 0;
  std::vector<unsigned> loops_;  // their labels, innermost last
  bool shared_by_block_ = true;
  bool returned_ = false;  // a thread may have: the others' barrier would wait for it at the end of the kernel
};

unsigned count(const Body& body) {
  unsigned total = 0;
  for (const Statement& statement : body) {
    ++total;
    for (const Body& inner : statement.bodies) total += count(inner);
  }
  return total;
}

// Calls visit(body, index) for every statement until it says that it has changed something.
bool for_each_place(Body& body, const std::function<bool(Body&, std::size_t)>& visit) {
  for (std::size_t i = 0; i < body.size(); ++i) {
    if (visit(body, i)) return true;
    for (Body& inner : body[i].bodies) {
      if (for_each_place(inner, visit)) return true;
    }
  }
  return false;
}

// The `choice`th way to make the kernel smaller by one step; false when there are not so many.
bool reduce(GeneratedKernel& kernel, unsigned choice) {
  return for_each_place(kernel.body, [&](Body& body, std::size_t i) {
    if (choice-- == 0) {
      body.erase(body.begin() + static_cast<std::ptrdiff_t>(i));
      return true;
    }
    for (std::size_t b = 0; b < body[i].bodies.size(); ++b) {
      if (choice-- != 0) continue;
      Body inner = std::move(body[i].bodies[b]);
      body.erase(body.begin() + static_cast<std::ptrdiff_t>(i));
      body.insert(body.begin() + static_cast<std::ptrdiff_t>(i), inner.begin(), inner.end());
      return true;
    }
    return false;
  });
}

}  // namespace

std::string GeneratedKernel::ptx() const {
  Writer writer;
  writer.write(body);
  return ptx_kernel(writer.text);
}

unsigned GeneratedKernel::statements() const { return count(body); }

GeneratedKernel generate_kernel(std::uint32_t seed) { return {seed, Generator(seed).body(kDepth, 0)}; }

GeneratedKernel shrink(GeneratedKernel kernel, const std::function<bool(const GeneratedKernel&)>& fails) {
  for (unsigned choice = 0;;) {
    GeneratedKernel smaller = kernel;
    if (!reduce(smaller, choice)) return kernel;
    if (fails(smaller)) {
      kernel = std::move(smaller);
      choice = 0;
    } else {
      ++choice;
    }
  }
}

}  // namespace warpfold
