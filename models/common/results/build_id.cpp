// SPDX-License-Identifier: Apache-2.0
#include "warpfold/common/results/build_id.h"

#include <fmt/format.h>
#include <link.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <fstream>
#include <iterator>
#include <string_view>
#include <vector>

#include "warpfold/common/files/digest.h"

namespace warpfold {
namespace {

// Bytes of a file at an offset; fewer where it ends, or where the header that asks for them is a lie.
std::string bytes_at(std::ifstream& file, std::uint64_t offset, std::size_t count) {
  constexpr std::size_t kMost = 1 << 16;  // notes and program headers are small
  std::string bytes(count < kMost ? count : kMost, '\0');
  file.clear();
  file.seekg(static_cast<std::streamoff>(offset));
  file.read(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  bytes.resize(static_cast<std::size_t>(file.gcount()));
  return bytes;
}

template <class T>
bool read_at(std::ifstream& file, std::uint64_t offset, T& into) {
  const std::string bytes = bytes_at(file, offset, sizeof into);
  if (bytes.size() != sizeof into) return false;
  std::memcpy(&into, bytes.data(), sizeof into);
  return true;
}

std::size_t padded(std::size_t bytes) { return (bytes + 3) / 4 * 4; }

// In a segment of notes: each has a header, a name and a description, both filled up to whole words.
std::string_view id_in(std::string_view notes) {
  ElfW(Nhdr) note;
  while (notes.size() >= sizeof note) {
    std::memcpy(&note, notes.data(), sizeof note);
    const std::size_t name = sizeof note, description = name + padded(note.n_namesz);
    if (description + note.n_descsz > notes.size()) break;
    const bool is_id =
        note.n_type == NT_GNU_BUILD_ID && notes.substr(name, note.n_namesz) == std::string_view("GNU\0", 4);
    if (is_id) return notes.substr(description, note.n_descsz);
    notes.remove_prefix(std::min(notes.size(), description + padded(note.n_descsz)));
  }
  return {};
}

std::string hex(std::string_view bytes) {
  std::string text;
  for (const char byte : bytes) fmt::format_to(std::back_inserter(text), "{:02x}", static_cast<unsigned char>(byte));
  return text;
}

}  // namespace

std::string build_id(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  ElfW(Ehdr) header{};
  const bool elf = read_at(file, 0, header) && std::memcmp(header.e_ident, ELFMAG, SELFMAG) == 0;
  for (unsigned i = 0; elf && i < header.e_phnum; ++i) {
    ElfW(Phdr) segment{};
    if (!read_at(file, header.e_phoff + std::uint64_t{i} * header.e_phentsize, segment)) break;
    if (segment.p_type != PT_NOTE) continue;
    const std::string notes = bytes_at(file, segment.p_offset, segment.p_filesz);
    const std::string id = hex(id_in(notes));
    if (!id.empty()) return id;
  }
  return Sha256().update_file(path).hex();
}

}  // namespace warpfold
