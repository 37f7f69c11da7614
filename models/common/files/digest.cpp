// SPDX-License-Identifier: Apache-2.0
#include "warpfold/common/files/digest.h"

#include <fmt/format.h>

#include <array>
#include <cstdint>
#include <iterator>

#include "warpfold/common/files/input_file.h"

namespace warpfold {

Sha256& Sha256::update(std::string_view bytes) {
  sha256_update(&context_, bytes.size(), reinterpret_cast<const std::uint8_t*>(bytes.data()));
  return *this;
}

Sha256& Sha256::update_file(const std::string& path) {
  read_in_parts(path, "file", [this](std::string_view part) { update(part); });
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
