// SPDX-License-Identifier: Apache-2.0
// Formats and arguments of a device printf against what the host's printf makes of them.
#include <gtest/gtest.h>

#include <cstdio>
#include <cstring>
#include <limits>
#include <map>
#include <string>
#include <vector>

#include "warpfold/common/error.h"
#include "warpfold/isa/services/print_format.h"

namespace warpfold::isa {
namespace print_format_test {

// A buffer of arguments as compilers lay it out, and strings at addresses.
class Memory final : public PrintArguments {
 public:
  template <class T>
  Memory& add(T value) {
    bytes_.resize((bytes_.size() + sizeof(T) - 1) / sizeof(T) * sizeof(T) + sizeof(T));
    std::memcpy(bytes_.data() + bytes_.size() - sizeof(T), &value, sizeof(T));
    return *this;
  }
  Memory& add(const std::string& text) {
    const std::uint64_t at = 0x1000 + 0x100 * texts_.size();
    texts_[at] = text;
    return add(at);
  }

  std::uint64_t value(std::uint64_t offset, unsigned bytes) override {
    check(offset + bytes <= bytes_.size(), "an argument lies in the buffer");
    std::uint64_t value = 0;
    std::memcpy(&value, bytes_.data() + offset, bytes);
    return value;
  }
  std::string text(std::uint64_t address, std::size_t most) override { return texts_.at(address).substr(0, most); }

 private:
  std::vector<char> bytes_;
  std::map<std::uint64_t, std::string> texts_;
};

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
template <class... Values>
std::string host_text(const std::string& format, Values... values) {
  std::string text(4096, '\0');
  text.resize(static_cast<std::size_t>(std::snprintf(text.data(), text.size(), format.c_str(), values...)));
  return text;
}
#pragma GCC diagnostic pop

const char* const kFlags[] = {"", "-", "+", " ", "#", "0", "-+", "+0", "# ", "#0", "-#+ 0"};
const char* const kWidths[] = {"", "1", "12", "25"};
const char* const kPrecisions[] = {"", ".", ".0", ".1", ".7", ".20"};

// All flags, widths and precisions before each of the endings, with each of the values.
template <class T>
void compare(const std::vector<std::string>& endings, const std::vector<T>& values) {
  for (const std::string& ending : endings) {
    for (const char* flags : kFlags) {
      for (const char* width : kWidths) {
        for (const char* precision : kPrecisions) {
          const std::string format = std::string("<%") + flags + width + precision + ending + ">";
          for (const T value : values) {
            Memory memory;
            EXPECT_EQ(format_print(format, memory.add(value)).text, host_text(format, value)) << format;
          }
        }
      }
    }
  }
}

TEST(PrintFormat, IntegersOfFourBytes) {
  const auto least = std::numeric_limits<int>::min();
  compare<int>({"d", "i", "u", "o", "x", "X", "hd", "hhi", "hu", "hhx", "ho"},
               {0, 1, -1, 42, -70000, 0x12345678, least});
}

TEST(PrintFormat, IntegersOfEightBytes) {
  compare<long long>({"lld", "li", "lu", "llo", "lx", "llX", "jd", "zu", "td"},
                     {0, 7, -1, 1LL << 40, std::numeric_limits<long long>::min()});
}

TEST(PrintFormat, FloatingPoint) {
  const double infinity = std::numeric_limits<double>::infinity();
  compare<double>({"f", "F", "e", "E", "g", "G", "a", "A", "lf"},
                  {0.0, -0.0, 1.0, -2.5, 3.14159265358979, 1e-300, 6.02e23, 0.1, infinity, -infinity,
                   std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::denorm_min()});
}

// Device code's long double is a double.
TEST(PrintFormat, LongDouble) {
  Memory memory;
  EXPECT_EQ(format_print("%.3Lf %Lg", memory.add(2.0 / 3).add(0.25)).text, "0.667 0.25");
}

TEST(PrintFormat, CharactersAndPointers) {
  for (const char* format : {"<%c>", "<%5c>", "<%-5c>"}) {
    for (const int value : {static_cast<int>('a'), 0, 0x141}) {
      Memory memory;
      EXPECT_EQ(format_print(format, memory.add(value)).text, host_text(format, value)) << format;
    }
  }
  for (const char* format : {"%p", "%20p", "%-20p|"}) {
    for (const std::uint64_t value : {std::uint64_t{0}, std::uint64_t{0x700001234}}) {
      Memory memory;
      EXPECT_EQ(format_print(format, memory.add(value)).text, host_text(format, reinterpret_cast<const void*>(value)));
    }
  }
}

TEST(PrintFormat, Strings) {
  for (const char* format : {"<%s>", "<%10s>", "<%-10s>", "<%.3s>", "<%10.2s>", "<%.0s>", "<%.s>"}) {
    for (const std::string value : {"", "a", "hello", "longer than ten"}) {
      Memory memory;
      EXPECT_EQ(format_print(format, memory.add(value)).text, host_text(format, value.c_str())) << format << value;
    }
  }
  Memory memory;
  EXPECT_EQ(format_print("<%s>", memory.add(std::uint64_t{0})).text, "<(null)>");
}

TEST(PrintFormat, WidthsAndPrecisionsFromArguments) {
  Memory memory;
  memory.add(8).add(3).add(2.0 / 3).add(-6).add(5).add(-1).add(1234567LL).add(-2).add(std::string("text"));
  const Printed printed = format_print("<%*.*f|%*d|%.*lld|%.*s>", memory);
  EXPECT_EQ(printed.text, "<   0.667|5     |1234567|text>");
  EXPECT_EQ(printed.arguments, 9);
}

// Each at a multiple of its own size.
TEST(PrintFormat, ArgumentsLieWhereCompilersPutThem) {
  Memory memory;
  memory.add(1).add(2LL).add(static_cast<int>('c')).add(0.5).add(3).add(4).add(std::string("end")).add(-1);
  const Printed printed = format_print("%d %lld %c %g %d %u %s %d\n", memory);
  EXPECT_EQ(printed.text, "1 2 c 0.5 3 4 end -1\n");
  EXPECT_EQ(printed.arguments, 8);
}

TEST(PrintFormat, WhatIsNoConversionIsPrintedAsItStands) {
  Memory memory;
  memory.add(5);
  const Printed printed = format_print("100%% %y %n %-5q %d %", memory);
  EXPECT_EQ(printed.text, "100% %y %n %-5q 5 %");
  EXPECT_EQ(printed.arguments, 1);
  EXPECT_EQ(format_print("", memory).text, "");
  EXPECT_EQ(format_print("plain", memory).arguments, 0);
}

TEST(PrintFormat, ThirtyTwoArgumentsAreConverted) {
  Memory memory;
  std::string format, expected;
  for (int k = 0; k < 34; ++k) {
    memory.add(k);
    format += "%d,";
    expected += k < 32 ? std::to_string(k) + "," : "%d,";
  }
  EXPECT_EQ(format_print(format, memory).text, expected);
  EXPECT_EQ(format_print(format, memory).arguments, 32);
  // A width of its own is an argument too.
  EXPECT_EQ(format_print(format.substr(0, 31 * 3) + "%*d", memory).arguments, 31);
}

TEST(PrintFormat, WhatTheHostCannotPrintIsAnError) {
  Memory memory;
  memory.add(1).add(2);
  const Printed printed = format_print("a%99999999999db%d", memory);
  EXPECT_EQ(printed.arguments, -2);
  EXPECT_EQ(printed.text, "ab2");
}

TEST(PrintFormat, BytesOfARecord) {
  Memory memory;
  memory.add(1).add(std::string("1234567")).add(std::string("12345678"));
  EXPECT_EQ(format_print("none", memory).bytes, 8U);
  EXPECT_EQ(format_print("%d", memory).bytes, 16U);
  EXPECT_EQ(format_print("%d %s", memory).bytes, 8U + 2 * 8 + 8);
  EXPECT_EQ(format_print("%d %s %s", memory).bytes, 8U + 3 * 8 + 8 + 16);
}

}  // namespace print_format_test
}  // namespace warpfold::isa
