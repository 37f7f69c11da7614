// SPDX-License-Identifier: Apache-2.0
// MD5 digests (RFC 1321) of the chunks of a data store that recognises equal chunks by their digests, as StoreGPU does
// (Al-Kiswany et al., HPDC 2008). A thread takes one chunk. The chunks differ in length, so threads of a warp reach the
// padding at different blocks and at different places in a block.
//
//   storegpu [--size small|default|large] [--seed N]
#include <algorithm>

#include "../common/workload.h"

using workload::DeviceBuffer;
using workload::Random;
using Byte = unsigned char;

constexpr const char* kProgram = "storegpu";
constexpr int kThreads = 128;
constexpr int kBlockBytes = 64;
constexpr int kBlockWords = 16;
constexpr int kSteps = 64;

// The data begin at byte `begin`, a multiple of four.
struct Chunk {
  unsigned begin;
  unsigned length;
};

__constant__ unsigned sines[kSteps];

__device__ inline unsigned rotate_left(unsigned value, int bits) { return (value << bits) | (value >> (32 - bits)); }

// Word `index` of the message as RFC 1321 extends it, but for its length: the data, one bit, and zeros.
__device__ inline unsigned padded_word(const unsigned* words, unsigned length, unsigned index) {
  const unsigned at = 4 * index;
  if (at + 4 <= length) return words[index];
  if (at > length) return 0;
  unsigned word = 0x80;
  const Byte* bytes = reinterpret_cast<const Byte*>(words);
  for (unsigned byte = length; byte > at; --byte) word = (word << 8) | bytes[byte - 1];
  return word;
}

// How a round mixes three of the registers, and the order in which it takes the words.
template <int kRound>
__device__ inline unsigned mix(unsigned b, unsigned c, unsigned d) {
  if (kRound == 0) return (b & c) | (~b & d);
  if (kRound == 1) return (b & d) | (c & ~d);
  if (kRound == 2) return b ^ c ^ d;
  return c ^ (b | ~d);
}
template <int kRound>
__device__ inline int word_of(int step) {
  if (kRound == 0) return step;
  if (kRound == 1) return (5 * step + 1) % 16;
  if (kRound == 2) return (3 * step + 5) % 16;
  return (7 * step) % 16;
}

// A thread's block of the message, in a column of shared memory.
using Column = unsigned[kThreads];

template <int kRound>
__device__ inline void run_round(const Column* block, int thread, const int (&shifts)[4], uint4& state) {
// Four steps change every register once. All of them unrolled, the table's 64 words would be kept in registers.
#pragma unroll 1
  for (int step = 0; step < 16; step += 4) {
#pragma unroll
    for (int i = 0; i < 4; ++i) {
      const unsigned sum = state.x + mix<kRound>(state.y, state.z, state.w) + block[word_of<kRound>(step + i)][thread] +
                           sines[16 * kRound + step + i];
      state = uint4{state.w, state.y + rotate_left(sum, shifts[i]), state.y, state.z};
    }
  }
}

__device__ inline uint4 digest_block(const uint4& digest, const Column* block, int thread) {
  uint4 state = digest;
  run_round<0>(block, thread, {7, 12, 17, 22}, state);
  run_round<1>(block, thread, {5, 9, 14, 20}, state);
  run_round<2>(block, thread, {4, 11, 16, 23}, state);
  run_round<3>(block, thread, {6, 10, 15, 21}, state);
  return uint4{digest.x + state.x, digest.y + state.y, digest.z + state.z, digest.w + state.w};
}

__global__ void digest_chunks(int count, const Chunk* chunks, const Byte* data, uint4* digests) {
  __shared__ unsigned block[kBlockWords][kThreads];
  const int thread = static_cast<int>(threadIdx.x);
  const int id = static_cast<int>(blockIdx.x) * kThreads + thread;
  if (id >= count) return;
  const unsigned length = chunks[id].length;
  const unsigned* words = reinterpret_cast<const unsigned*>(data + chunks[id].begin);
  const unsigned blocks = (length + 8) / kBlockBytes + 1;  // a byte of padding and eight of the length at least
  uint4 digest{0x67452301, 0xefcdab89, 0x98badcfe, 0x10325476};
  for (unsigned i = 0; i < blocks; ++i) {
    if ((i + 1) * kBlockBytes <= length) {
#pragma unroll
      for (int word = 0; word < kBlockWords; ++word) block[word][thread] = words[i * kBlockWords + word];
    } else {
#pragma unroll 1
      for (int word = 0; word < kBlockWords; ++word) {
        block[word][thread] = padded_word(words, length, i * kBlockWords + word);
      }
      if (i + 1 == blocks) {
        block[14][thread] = length << 3;  // in bits
        block[15][thread] = length >> 29;
      }
    }
    digest = digest_block(digest, block, thread);
  }
  digests[id] = digest;
}

namespace {

// Step i adds the first 32 bits behind the binary point of |sin(i + 1)|.
std::vector<unsigned> sine_table() {
  std::vector<unsigned> table(kSteps);
  for (int i = 0; i < kSteps; ++i) table[i] = static_cast<unsigned>(std::fabs(std::sin(i + 1.0)) * 4294967296.0);
  return table;
}

// The messages and digests of the RFC's test suite (appendix A.5).
struct KnownDigest {
  const char* message;
  const char* digest;
};
constexpr KnownDigest kTestSuite[] = {
    {"", "d41d8cd98f00b204e9800998ecf8427e"},
    {"a", "0cc175b9c0f1b6a831c399e269772661"},
    {"abc", "900150983cd24fb0d6963f7d28e17f72"},
    {"message digest", "f96b697d7cb7938d525a2f31aaf161d0"},
    {"abcdefghijklmnopqrstuvwxyz", "c3fcd3d76192e4007dfb496cca67e13b"},
    {"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789", "d174ab98d277d9f5a5611c2c9f419d9f"},
    {"12345678901234567890123456789012345678901234567890123456789012345678901234567890",
     "57edf4a22be3c955ac49da2e2107b67a"}};

struct Store {
  std::vector<Chunk> chunks;
  std::vector<Byte> data;

  void add(const std::vector<Byte>& bytes) {
    chunks.push_back({static_cast<unsigned>(data.size()), static_cast<unsigned>(bytes.size())});
    data.insert(data.end(), bytes.begin(), bytes.end());
    data.resize((data.size() + 3) / 4 * 4, 0xff);
  }
};

Store random_store(int count, Random& random) {
  Store store;
  for (const KnownDigest& known : kTestSuite) {
    const std::string message = known.message;
    store.add(std::vector<Byte>(message.begin(), message.end()));
  }
  while (static_cast<int>(store.chunks.size()) < count) {
    std::vector<Byte> bytes(768 + random.below(256));
    for (Byte& byte : bytes) byte = static_cast<Byte>(random.below(256));
    store.add(bytes);
  }
  return store;
}

// As a digest is written: byte by byte, the lowest of a word first.
std::string hexadecimal(const unsigned (&words)[4]) {
  std::string text;
  for (int byte = 0; byte < 16; ++byte) {
    char digits[3];
    std::snprintf(digits, sizeof digits, "%02x", (words[byte / 4] >> (8 * (byte % 4))) & 0xff);
    text += digits;
  }
  return text;
}

// The check's own MD5: pads the message in memory and goes through it with the four functions and orders of the RFC.
std::string digest_on_host(std::vector<Byte> message) {
  static const std::vector<unsigned> table = sine_table();
  const uint64_t bits = 8 * static_cast<uint64_t>(message.size());
  message.push_back(0x80);
  while (message.size() % kBlockBytes != 56) message.push_back(0);
  for (int byte = 0; byte < 8; ++byte) message.push_back(static_cast<Byte>(bits >> (8 * byte)));
  constexpr int kFirst[4] = {0, 1, 5, 0};
  constexpr int kStride[4] = {1, 5, 3, 7};
  constexpr int kTurns[4][4] = {{7, 12, 17, 22}, {5, 9, 14, 20}, {4, 11, 16, 23}, {6, 10, 15, 21}};
  unsigned state[4] = {0x67452301, 0xefcdab89, 0x98badcfe, 0x10325476};
  for (size_t begin = 0; begin < message.size(); begin += kBlockBytes) {
    unsigned s[4] = {state[0], state[1], state[2], state[3]};
    for (int step = 0; step < kSteps; ++step) {
      const int round = step / 16;
      // The registers change places: step 1 computes what is D to step 0, and so on backwards.
      unsigned& a = s[(64 - step) % 4];
      const unsigned b = s[(65 - step) % 4];
      const unsigned c = s[(66 - step) % 4];
      const unsigned d = s[(67 - step) % 4];
      const unsigned functions[4] = {d ^ (b & (c ^ d)), c ^ (d & (b ^ c)), b ^ c ^ d, c ^ (b | ~d)};
      const Byte* bytes = &message[begin + 4 * ((kFirst[round] + kStride[round] * (step % 16)) % 16)];
      const unsigned word = bytes[0] | bytes[1] << 8 | bytes[2] << 16 | static_cast<unsigned>(bytes[3]) << 24;
      const unsigned sum = a + functions[round] + word + table[step];
      a = b + (sum << kTurns[round][step % 4] | sum >> (32 - kTurns[round][step % 4]));
    }
    for (int i = 0; i < 4; ++i) state[i] += s[i];
  }
  return hexadecimal(state);
}

std::string check(const Store& store, const std::vector<uint4>& digests) {
  for (size_t i = 0; i < digests.size(); ++i) {
    const unsigned words[4] = {digests[i].x, digests[i].y, digests[i].z, digests[i].w};
    const std::string digest = hexadecimal(words);
    const auto begin = store.data.begin() + store.chunks[i].begin;
    const bool known = i < sizeof(kTestSuite) / sizeof(kTestSuite[0]);
    const std::string expected =
        known ? kTestSuite[i].digest : digest_on_host(std::vector<Byte>(begin, begin + store.chunks[i].length));
    if (digest != expected) return "chunk " + std::to_string(i) + " has digest " + digest + ", expected " + expected;
  }
  return "";
}

}  // namespace

int main(int argc, char** argv) {
  const workload::Options options = workload::parse_only_options(kProgram, argc, argv);
  const int count = workload::by_size(options.size, 200, 30720, 307200);
  Random random(options.seed);
  const Store store = random_store(count, random);
  workload::check_cuda(cudaMemcpyToSymbol(sines, sine_table().data(), kSteps * sizeof(unsigned)), "cudaMemcpyToSymbol");

  const DeviceBuffer<Chunk> chunks(store.chunks);
  const DeviceBuffer<Byte> data(store.data);
  const DeviceBuffer<uint4> digests(store.chunks.size());
  digest_chunks<<<(count + kThreads - 1) / kThreads, kThreads>>>(count, chunks.get(), data.get(), digests.get());
  workload::check_launch("digest_chunks");
  std::printf("storegpu: %d chunks, %zu bytes\n", count, store.data.size());
  return workload::verdict(check(store, digests.download()));
}
