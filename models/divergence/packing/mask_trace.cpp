// SPDX-License-Identifier: Apache-2.0
#include "warpfold/divergence/packing/mask_trace.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <optional>

#include "warpfold/common/error.h"
#include "warpfold/common/files/input_file.h"
#include "warpfold/common/files/whole_file.h"
#include "warpfold/common/number.h"

namespace warpfold::divergence {

namespace fs = std::filesystem;

namespace {

constexpr std::string_view kFirstWord = "warpfold-masks";
constexpr unsigned kVersion = 1;
constexpr std::size_t kLongestLine = 4096;

class LineReader {
 public:
  LineReader(const std::string& path, const TakeMask& take) : path_(path), take_(take) {}

  void part(std::string_view text) {
    for (std::size_t end; (end = text.find('\n')) != std::string_view::npos; text.remove_prefix(end + 1)) {
      keep(text.substr(0, end));
      finish_line();
    }
    keep(text);
  }
  void end() {
    if (!line_.empty()) finish_line();
    if (number_ == 0) fail_without_header();
  }

 private:
  template <class... Args>
  [[noreturn]] void fail(fmt::format_string<Args...> what, Args&&... args) const {
    user_error("{}:{}: {}", path_, number_, fmt::format(what, std::forward<Args>(args)...));
  }
  [[noreturn]] void fail_without_header() {
    number_ = 1;
    fail("no mask trace: it must begin with '{} {} width=LANES lanes=LANES'", kFirstWord, kVersion);
  }

  void keep(std::string_view text) {
    if (line_.size() + text.size() > kLongestLine) {
      if (number_++ == 0) fail_without_header();
      fail("a line of more than {} characters", kLongestLine);
    }
    line_ += text;
  }

  void finish_line() {
    ++number_;
    std::string_view rest = line_;
    if (rest.ends_with('\r')) rest.remove_suffix(1);
    if (number_ == 1) {
      header(rest);
    } else {
      body(rest);
    }
    line_.clear();
  }

  static std::string_view next_word(std::string_view& rest) {
    constexpr std::string_view kBlanks = " \t";
    rest.remove_prefix(std::min(rest.find_first_not_of(kBlanks), rest.size()));
    const std::string_view word = rest.substr(0, rest.find_first_of(kBlanks));
    rest.remove_prefix(word.size());
    return word;
  }

  void header(std::string_view rest) {
    if (next_word(rest) != kFirstWord) fail_without_header();
    const std::string_view version = next_word(rest);
    if (version != std::to_string(kVersion)) fail("version '{}': this program reads version {}", version, kVersion);
    bool width = false, lanes = false;
    for (std::string_view word; !(word = next_word(rest)).empty();) {
      const auto [key, value] = setting(word, {"width", "lanes"});
      (key == "width" ? shape_.width : shape_.lanes) = value;
      (key == "width" ? width : lanes) = true;
    }
    if (!width || !lanes) fail("{} is missing: width=LANES lanes=LANES", width ? "lanes" : "width");
  }

  void body(std::string_view rest) {
    const std::string_view first = next_word(rest);
    if (first.empty() || first.starts_with('#')) return;
    if (first == "kernel") {
      kernel_ = rest.substr(std::min(rest.find_first_not_of(" \t"), rest.size()));
      if (kernel_.empty()) fail("kernel: its name is missing");
    } else {
      record(first, rest);
    }
  }

  void record(std::string_view mask, std::string_view rest) {
    MaskRecord record;
    record.lanes.width = shape_.width;
    std::optional<unsigned> lanes;
    record.lanes.mask = mask_of(mask);
    std::string_view word = next_word(rest);
    if (!word.empty() && word.find('=') == std::string_view::npos) {
      const auto count = number_in<std::uint64_t>(word);
      if (!count || *count == 0) fail("{}: the number of instructions must be in [1, 2^64)", word);
      record.count = *count;
      word = next_word(rest);
    }
    for (; !word.empty(); word = next_word(rest)) {
      const auto [key, value] = setting(word, {"bits", "width", "lanes"});
      if (key == "bits") {
        record.bits = value;
      } else if (key == "width") {
        record.lanes.width = value;
      } else {
        lanes = value;
      }
    }
    record.lanes.unit_width = lanes ? *lanes : shape_.lanes_of(record.bits);
    if ((record.lanes.mask & ~low_lanes(record.lanes.width)) != 0) {
      fail("{}: the mask has lanes beyond the {} of the instruction", mask, record.lanes.width);
    }
    const std::string why = take_(kernel_, record);
    if (!why.empty()) fail("{}", why);
  }

  isa::LaneMask mask_of(std::string_view text) const {
    const bool prefixed = text.starts_with("0x") || text.starts_with("0X");
    const auto mask = number_in<isa::LaneMask>(prefixed ? text.substr(2) : text, 16);
    if (!mask) fail("'{}': neither a mask of up to 16 hexadecimal digits nor 'kernel NAME'", text);
    return *mask;
  }

  struct Setting {
    std::string_view key;
    unsigned value;
  };
  Setting setting(std::string_view word, std::initializer_list<std::string_view> known) const {
    const std::size_t equals = std::min(word.find('='), word.size());
    const std::string_view key = word.substr(0, equals);
    if (std::find(known.begin(), known.end(), key) == known.end()) {
      std::string names;
      for (const std::string_view name : known) names += fmt::format("{}{}=", names.empty() ? "" : ", ", name);
      fail("{}: none of {}", word, names);
    }
    const auto value = number_in<unsigned>(word.substr(std::min(equals + 1, word.size())));
    if (key == "bits") {
      if (!value || (*value != 8 && *value != 16 && *value != 32 && *value != 64)) {
        fail("{}: must be 8, 16, 32 or 64 bits", word);
      }
    } else if (!value || *value < 1 || *value > isa::kMaxLanes) {
      fail("{}: must be in [1, {}] lanes", word, isa::kMaxLanes);
    }
    return {key, *value};
  }

  const std::string& path_;
  const TakeMask& take_;
  std::string line_, kernel_;
  std::uint64_t number_ = 0;  // of the line
  MaskTraceShape shape_;
};

}  // namespace

unsigned MaskTraceShape::lanes_of(unsigned bits) const { return std::clamp(lanes * 32 / bits, 1U, isa::kMaxLanes); }

void read_mask_trace(const std::string& path, const TakeMask& take) {
  LineReader reader(path, take);
  read_stream(path, "mask trace", [&](std::string_view text) { reader.part(text); });
  reader.end();
}

std::size_t MaskTraceWriter::Hash::operator()(const Key& key) const {
  const std::uint64_t rest = std::uint64_t{key.kernel} << 24 | key.width << 16 | key.lanes << 8 | key.bits;
  // Masks differ in few bits: a multiplication spreads them (Knuth's, by the golden ratio).
  std::uint64_t mixed = (key.mask ^ rest * 0xff51afd7ed558ccdU) * 0x9e3779b97f4a7c15U;
  mixed ^= mixed >> 32;
  return mixed;
}

MaskTraceWriter::MaskTraceWriter(std::string path, const MaskTraceShape& shape, std::size_t most_masks)
    : path_(std::move(path)), part_(path_ + ".part"), shape_(shape), most_masks_(most_masks) {
  std::error_code none;
  const fs::file_status there = fs::status(path_, none);
  if (fs::exists(there) && !fs::is_regular_file(there)) part_ = path_;
  file_ = open(part_.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
  if (file_ < 0) cannot_write(part_, errno);
  header_ = fmt::format("{} {} width={} lanes={}\n", kFirstWord, kVersion, shape_.width, shape_.lanes);
}

MaskTraceWriter::~MaskTraceWriter() { give_up(); }

void MaskTraceWriter::give_up() {
  if (file_ < 0) return;
  ::close(std::exchange(file_, -1));
  if (part_ != path_) unlink(part_.c_str());
}

void MaskTraceWriter::kernel_started(const std::string& name) {
  const auto [at, fresh] = numbers_.try_emplace(name, static_cast<std::uint32_t>(names_.size()));
  if (fresh) names_.push_back(name);
  kernel_ = at->second;
}

void MaskTraceWriter::add(const LanesOnUnit& lanes, unsigned bits) {
  check(!names_.empty(), "masks are a kernel's");
  if (counts_.size() == most_masks_) write_counts();
  ++counts_[{lanes.mask, kernel_, static_cast<std::uint8_t>(lanes.width), static_cast<std::uint8_t>(bits),
             static_cast<std::uint8_t>(lanes.unit_width)}];
}

void MaskTraceWriter::write_counts() {
  std::vector<std::pair<Key, std::uint64_t>> counts(counts_.begin(), counts_.end());
  counts_.clear();
  std::sort(counts.begin(), counts.end(), [](const auto& a, const auto& b) {
    return std::pair{a.first.kernel, a.first} < std::pair{b.first.kernel, b.first};
  });
  std::string text = std::exchange(header_, "");
  std::uint32_t kernel = ~0U;
  for (const auto& [key, count] : counts) {
    if (key.kernel != kernel) text += fmt::format("kernel {}\n", names_[kernel = key.kernel]);
    text += fmt::format("{:0{}x} {}", key.mask, (shape_.width + 3) / 4, count);
    if (key.bits != 32) text += fmt::format(" bits={}", key.bits);
    if (key.width != shape_.width) text += fmt::format(" width={}", key.width);
    if (key.lanes != shape_.lanes_of(key.bits)) text += fmt::format(" lanes={}", key.lanes);
    text += '\n';
  }
  write(text);
}

void MaskTraceWriter::write(std::string_view text) {
  while (!text.empty()) {
    const ssize_t written = ::write(file_, text.data(), text.size());
    if (written > 0) {
      text.remove_prefix(static_cast<std::size_t>(written));
    } else if (written == 0 || errno != EINTR) {
      const int why = written == 0 ? EIO : errno;
      give_up();
      cannot_write(part_, why);
    }
  }
}

void MaskTraceWriter::close() {
  if (file_ < 0) return;
  write_counts();
  const int file = std::exchange(file_, -1);
  int why = ::close(file) != 0 && errno != EINTR ? errno : 0;
  if (why == 0 && part_ != path_ && rename(part_.c_str(), path_.c_str()) != 0) why = errno;
  if (why == 0) return;
  if (part_ != path_) unlink(part_.c_str());
  cannot_write(path_, why);
}

}  // namespace warpfold::divergence
