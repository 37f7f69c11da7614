// SPDX-License-Identifier: Apache-2.0
#include "warpfold/common/digest.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdint>
#include <cstring>
#include <iterator>
#include <vector>

#include "warpfold/common/error.h"

namespace warpfold {
namespace {

constexpr std::size_t kBytesAtATime = 1 << 16;

// A file descriptor that is closed again.
class OpenFile {
 public:
  // O_NONBLOCK: a FIFO without a writer opens at once, and is then refused for what it is.
  explicit OpenFile(const std::string& path)
      : path_(path), descriptor_(open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK)) {
    if (descriptor_ < 0) fail(std::strerror(errno));
  }
  OpenFile(const OpenFile&) = delete;
  OpenFile& operator=(const OpenFile&) = delete;
  ~OpenFile() { close(descriptor_); }

  bool is_regular() const {
    struct stat about {};
    return fstat(descriptor_, &about) == 0 && S_ISREG(about.st_mode);
  }
  std::size_t read_some(std::vector<std::uint8_t>& into) const {
    for (;;) {
      const ssize_t bytes = read(descriptor_, into.data(), into.size());
      if (bytes >= 0) return static_cast<std::size_t>(bytes);
      if (errno != EINTR) fail(std::strerror(errno));
    }
  }
  [[noreturn]] void fail(const char* why) const { user_error("{}: cannot read this file: {}", path_, why); }

 private:
  const std::string& path_;
  int descriptor_;
};

}  // namespace

Sha256& Sha256::update(std::string_view bytes) {
  sha256_update(&context_, bytes.size(), reinterpret_cast<const std::uint8_t*>(bytes.data()));
  return *this;
}

Sha256& Sha256::update_file(const std::string& path) {
  const OpenFile file(path);
  if (!file.is_regular()) file.fail("not a regular file");
  std::vector<std::uint8_t> bytes(kBytesAtATime);
  while (const std::size_t got = file.read_some(bytes)) sha256_update(&context_, got, bytes.data());
  return *this;
}

std::string Sha256::hex() const {
  sha256_ctx last = context_;  // taking the digest ends a context
  std::array<std::uint8_t, SHA256_DIGEST_SIZE> digest{};
  sha256_digest(&last, digest.size(), digest.data());
  std::string text;
  for (const std::uint8_t byte : digest) fmt::format_to(std::back_inserter(text), "{:02x}", byte);
  return text;
}

}  // namespace warpfold
