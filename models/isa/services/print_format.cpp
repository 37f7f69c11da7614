// SPDX-License-Identifier: Apache-2.0
#include "warpfold/isa/services/print_format.h"

#include <bit>
#include <cstdio>
#include <limits>
#include <optional>
#include <string_view>

namespace warpfold::isa {
namespace {

constexpr int kMostPrinted = 32;  // of a printf (CUDA)
constexpr std::size_t kNoLimit = std::numeric_limits<std::size_t>::max();

bool is_one_of(std::string_view set, char c) { return set.find(c) != std::string_view::npos; }

// A width or precision: digits, or an argument.
struct Number {
  bool given = false, from_argument = false;
  std::string digits;
  int asks_for() const { return from_argument ? 1 : 0; }
};

struct Conversion {
  std::string flags;
  Number width, precision;
  std::string size;
  char type = 0;

  bool is_integer() const { return is_one_of("diuoxX", type); }
  bool is_float() const { return is_one_of("fFeEgGaA", type); }
  // Of the argument.
  unsigned bytes() const {
    if (is_integer()) return size.empty() || size.front() == 'h' ? 4 : 8;
    return type == 'c' ? 4 : 8;
  }
  int asks_for() const { return 1 + width.asks_for() + precision.asks_for(); }
};

class Reader {
 public:
  Reader(const std::string& format, std::size_t at) : format_(format), at_(at) {}

  // What follows a % sign, if it is a conversion.
  std::optional<Conversion> conversion() {
    Conversion read;
    read.flags = run_of("-+ #0");
    read.width = number();
    if (peek() == '.') {
      ++at_;
      read.precision = number();
      read.precision.given = true;
    }
    read.size = run_of("hlLjzt");
    read.type = peek();
    if (read.type == 0 || !is_one_of("diuoxXfFeEgGaAcsp", read.type)) return std::nullopt;
    ++at_;
    return read;
  }
  std::size_t at() const { return at_; }

 private:
  char peek() const { return at_ < format_.size() ? format_[at_] : '\0'; }
  std::string run_of(std::string_view set) {
    const std::size_t begin = at_;
    while (peek() != 0 && is_one_of(set, peek())) ++at_;
    return format_.substr(begin, at_ - begin);
  }
  Number number() {
    Number read;
    read.from_argument = peek() == '*';
    if (read.from_argument) {
      ++at_;
    } else {
      read.digits = run_of("0123456789");
    }
    read.given = read.from_argument || !read.digits.empty();
    return read;
  }

  const std::string& format_;
  std::size_t at_;
};

class Printer {
 public:
  Printer(const std::string& format, PrintArguments& arguments) : format_(format), arguments_(arguments) {}

  Printed print() {
    result_.bytes = 8;  // the format's address
    for (std::size_t at = 0; at < format_.size();) at = next(at);
    if (failed_) result_.arguments = -2;
    return std::move(result_);
  }

 private:
  // Prints what begins at `at`; returns where it ends.
  std::size_t next(std::size_t at) {
    const char c = format_[at];
    if (c == '%' && at + 1 < format_.size() && format_[at + 1] == '%') {
      result_.text += '%';
      return at + 2;
    }
    if (c == '%') {
      Reader reader(format_, at + 1);
      const std::optional<Conversion> read = reader.conversion();
      if (read && result_.arguments + read->asks_for() <= kMostPrinted) {
        convert(*read);
        return reader.at();
      }
    }
    result_.text += c;
    return at + 1;
  }

  std::uint64_t argument(unsigned bytes) {
    offset_ = (offset_ + bytes - 1) / bytes * bytes;
    const std::uint64_t value = arguments_.value(offset_, bytes);
    offset_ += bytes;
    ++result_.arguments;
    result_.bytes += 8;
    return value;
  }

  std::string digits_of(const Number& number) {
    return number.from_argument ? std::to_string(static_cast<std::int32_t>(argument(4))) : number.digits;
  }

  // The host's printf knows what flags, widths and precisions do. A negative width is a - and a width, a negative
  // precision none at all (C, 7.21.6.1).
  void convert(const Conversion& read) {
    std::string how = "%" + read.flags + digits_of(read.width);
    std::size_t most = kNoLimit;
    if (read.precision.given) {
      const std::string digits = digits_of(read.precision);
      if (digits.empty() || digits.front() != '-') {
        how += "." + digits;
        most = digits.empty() ? 0 : static_cast<std::size_t>(std::strtoull(digits.c_str(), nullptr, 10));
      }
    }
    const std::uint64_t value = argument(read.bytes());
    if (read.is_integer()) {
      put_integer(how, read, value);
    } else if (read.is_float()) {
      put(how + read.type, std::bit_cast<double>(value));
    } else if (read.type == 'c') {
      put(how + "c", static_cast<int>(value));
    } else if (read.type == 'p') {
      put(how + "p", reinterpret_cast<const void*>(value));
    } else {
      put_text(how + "s", value, most);
    }
  }

  void put_integer(const std::string& how, const Conversion& read, std::uint64_t value) {
    if (read.bytes() == 8) {
      put(how + "ll" + read.type, static_cast<long long>(value));
    } else {
      put(how + read.size + read.type, static_cast<int>(value));
    }
  }

  void put_text(const std::string& how, std::uint64_t address, std::size_t most) {
    const std::string text = address == 0 ? "(null)" : arguments_.text(address, most);
    result_.bytes += (text.size() + 8) / 8 * 8;
    put(how, text.c_str());
  }

  template <class T>
  void put(const std::string& how, T value) {
    const int length = std::snprintf(nullptr, 0, how.c_str(), value);
    failed_ = failed_ || length < 0;
    if (length <= 0) return;
    const std::size_t begin = result_.text.size(), count = static_cast<std::size_t>(length);
    result_.text.resize(begin + count + 1);
    std::snprintf(result_.text.data() + begin, count + 1, how.c_str(), value);
    result_.text.resize(begin + count);
  }

  const std::string& format_;
  PrintArguments& arguments_;
  Printed result_;
  std::uint64_t offset_ = 0;
  bool failed_ = false;
};

}  // namespace

Printed format_print(const std::string& format, PrintArguments& arguments) {
  return Printer(format, arguments).print();
}

}  // namespace warpfold::isa
