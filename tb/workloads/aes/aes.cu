// SPDX-License-Identifier: Apache-2.0
// AES-128 (FIPS 197): each thread encrypts a block of 16 bytes, a round of which is 16 look-ups in four tables that
// join substitution, row shift and column mixing (Daemen and Rijmen, The Design of Rijndael, 2002, section 4.2).
//
//   aes [--size small|default|large] [--seed N]
#include <array>

#include "../common/workload.h"

using workload::DeviceBuffer;

constexpr const char* kProgram = "aes";
constexpr int kBlockSize = 256;
constexpr int kRounds = 10;
constexpr int kTableSize = 256;
constexpr int kTables = 4;

// A column of the state, or of a round key, is a word with row 0 in its lowest byte.
__constant__ unsigned round_keys[4 * (kRounds + 1)];

__device__ inline unsigned byte_of(unsigned word, int row) { return word >> (8 * row) & 0xffu; }

// A column of the next state: row r comes from the column r places further.
__device__ inline unsigned mixed(const unsigned* tables, unsigned a, unsigned b, unsigned c, unsigned d) {
  return tables[byte_of(a, 0)] ^ tables[kTableSize + byte_of(b, 1)] ^ tables[2 * kTableSize + byte_of(c, 2)] ^
         tables[3 * kTableSize + byte_of(d, 3)];
}

// The same in the last round, which mixes no columns: byte 1 of the first table is the substitution alone.
__device__ inline unsigned substituted(const unsigned* tables, unsigned a, unsigned b, unsigned c, unsigned d) {
  return byte_of(tables[byte_of(a, 0)], 1) | byte_of(tables[byte_of(b, 1)], 1) << 8 |
         byte_of(tables[byte_of(c, 2)], 1) << 16 | byte_of(tables[byte_of(d, 3)], 1) << 24;
}

__global__ void encrypt(int blocks, const unsigned* global_tables, const uint4* plain, uint4* cipher) {
  __shared__ unsigned tables[kTables * kTableSize];
  for (unsigned i = threadIdx.x; i < kTables * kTableSize; i += kBlockSize) tables[i] = global_tables[i];
  __syncthreads();
  const int block = static_cast<int>(blockIdx.x * kBlockSize + threadIdx.x);
  if (block >= blocks) return;
  uint4 s = plain[block];
  s.x ^= round_keys[0];
  s.y ^= round_keys[1];
  s.z ^= round_keys[2];
  s.w ^= round_keys[3];
#pragma unroll 1
  for (int round = 1; round < kRounds; ++round) {
    const unsigned* key = &round_keys[4 * round];
    const uint4 t = s;
    s.x = mixed(tables, t.x, t.y, t.z, t.w) ^ key[0];
    s.y = mixed(tables, t.y, t.z, t.w, t.x) ^ key[1];
    s.z = mixed(tables, t.z, t.w, t.x, t.y) ^ key[2];
    s.w = mixed(tables, t.w, t.x, t.y, t.z) ^ key[3];
  }
  const unsigned* key = &round_keys[4 * kRounds];
  cipher[block] =
      make_uint4(substituted(tables, s.x, s.y, s.z, s.w) ^ key[0], substituted(tables, s.y, s.z, s.w, s.x) ^ key[1],
                 substituted(tables, s.z, s.w, s.x, s.y) ^ key[2], substituted(tables, s.w, s.x, s.y, s.z) ^ key[3]);
}

namespace {

using Bytes = std::array<uint8_t, 16>;  // column by column
using Box = std::array<uint8_t, kTableSize>;

// Product in GF(2^8) modulo x^8 + x^4 + x^3 + x + 1 (FIPS 197, 4.2).
uint8_t product(unsigned a, unsigned b) {
  unsigned sum = 0;
  for (; b != 0; b >>= 1) {
    if ((b & 1u) != 0) sum ^= a;
    a = a << 1 ^ ((a & 0x80u) != 0 ? 0x11bu : 0u);
  }
  return static_cast<uint8_t>(sum);
}

// Inverse in the field, then the affine map of FIPS 197, 5.1.1.
Box substitution_box() {
  Box box;
  for (unsigned x = 0; x < kTableSize; ++x) {
    unsigned inverse = 0;
    for (unsigned y = 1; y < kTableSize && inverse == 0; ++y) {
      if (product(x, y) == 1) inverse = y;
    }
    const unsigned twice = inverse | inverse << 8;
    box[x] = static_cast<uint8_t>(inverse ^ twice >> 7 ^ twice >> 6 ^ twice >> 5 ^ twice >> 4 ^ 0x63u);
  }
  return box;
}

// FIPS 197, 5.2.
std::array<Bytes, kRounds + 1> expand_key(const Bytes& key, const Box& box) {
  std::array<Bytes, kRounds + 1> keys;
  keys[0] = key;
  uint8_t round_constant = 1;
  for (int round = 1; round <= kRounds; ++round) {
    const Bytes& last = keys[round - 1];
    Bytes& next = keys[round];
    for (int row = 0; row < 4; ++row) next[row] = static_cast<uint8_t>(last[row] ^ box[last[12 + (row + 1) % 4]]);
    next[0] ^= round_constant;
    for (int i = 4; i < 16; ++i) next[i] = static_cast<uint8_t>(last[i] ^ next[i - 4]);
    round_constant = product(round_constant, 2);
  }
  return keys;
}

void add_key(Bytes& state, const Bytes& key) {
  for (int i = 0; i < 16; ++i) state[i] ^= key[i];
}

// FIPS 197, 5.1, step by step on bytes; shares nothing with the tables of the device.
Bytes encrypt_on_host(Bytes state, const std::array<Bytes, kRounds + 1>& keys, const Box& box) {
  add_key(state, keys[0]);
  for (int round = 1; round <= kRounds; ++round) {
    Bytes shifted;
    for (int i = 0; i < 16; ++i) shifted[i] = box[state[(i + 4 * (i % 4)) % 16]];
    for (int i = 0; i < 16; ++i) {
      const int column = i / 4 * 4;
      const auto below = [&](int rows) { return shifted[column + (i + rows) % 4]; };
      state[i] = round == kRounds
                     ? shifted[i]
                     : static_cast<uint8_t>(product(below(0), 2) ^ product(below(1), 3) ^ below(2) ^ below(3));
    }
    add_key(state, keys[round]);
  }
  return state;
}

unsigned word(unsigned a, unsigned b, unsigned c, unsigned d) { return a | b << 8 | c << 16 | d << 24; }

// What a byte of row r adds to its new column.
std::vector<unsigned> mixing_tables(const Box& box) {
  std::vector<unsigned> tables(kTables * kTableSize);
  for (int x = 0; x < kTableSize; ++x) {
    const unsigned s = box[x];
    const unsigned s2 = product(s, 2);
    const unsigned s3 = s2 ^ s;
    tables[x] = word(s2, s, s, s3);
    tables[kTableSize + x] = word(s3, s2, s, s);
    tables[2 * kTableSize + x] = word(s, s3, s2, s);
    tables[3 * kTableSize + x] = word(s, s, s3, s2);
  }
  return tables;
}

// FIPS 197, C.1: the key, the first block of the text, and what becomes of it.
constexpr Bytes kKey{0x00, 0x01, 0x02, 0x03, 0x04, 0x05, 0x06, 0x07, 0x08, 0x09, 0x0a, 0x0b, 0x0c, 0x0d, 0x0e, 0x0f};
constexpr Bytes kPlain{0x00, 0x11, 0x22, 0x33, 0x44, 0x55, 0x66, 0x77, 0x88, 0x99, 0xaa, 0xbb, 0xcc, 0xdd, 0xee, 0xff};
constexpr Bytes kCipher{0x69, 0xc4, 0xe0, 0xd8, 0x6a, 0x7b, 0x04, 0x30, 0xd8, 0xcd, 0xb7, 0x80, 0x70, 0xb4, 0xc5, 0x5a};

std::string check(const std::vector<Bytes>& plain, const std::vector<Bytes>& cipher,
                  const std::array<Bytes, kRounds + 1>& keys, const Box& box) {
  if (encrypt_on_host(kPlain, keys, box) != kCipher) return "the host's own result is not that of FIPS 197, C.1";
  if (cipher[0] != kCipher) return "block 0 is not that of FIPS 197, C.1";
  for (size_t i = 0; i < plain.size(); ++i) {
    if (cipher[i] != encrypt_on_host(plain[i], keys, box)) return "block " + std::to_string(i) + " is wrong";
  }
  return "";
}

}  // namespace

int main(int argc, char** argv) {
  const workload::Options options = workload::parse_only_options(kProgram, argc, argv);
  const int blocks = workload::by_size(options.size, 600, 128000, 640000);
  workload::Random random(options.seed);
  std::vector<Bytes> plain(blocks, kPlain);
  for (size_t i = 1; i < plain.size(); ++i) {
    for (uint8_t& byte : plain[i]) byte = static_cast<uint8_t>(random.below(256));
  }
  const Box box = substitution_box();
  const std::array<Bytes, kRounds + 1> keys = expand_key(kKey, box);

  workload::check_cuda(cudaMemcpyToSymbol(round_keys, keys.data(), sizeof keys), "cudaMemcpyToSymbol");
  const DeviceBuffer<unsigned> device_tables(mixing_tables(box));
  const DeviceBuffer<Bytes> device_plain(plain);
  const DeviceBuffer<Bytes> device_cipher(plain.size());
  encrypt<<<(blocks + kBlockSize - 1) / kBlockSize, kBlockSize>>>(blocks, device_tables.get(),
                                                                  reinterpret_cast<const uint4*>(device_plain.get()),
                                                                  reinterpret_cast<uint4*>(device_cipher.get()));
  workload::check_launch("encrypt");

  std::printf("aes: %d blocks of 16 bytes\n", blocks);
  return workload::verdict(check(plain, device_cipher.download(), keys, box));
}
