// SPDX-License-Identifier: Apache-2.0
// A network that recognises hand-written digits, four launches for all pictures: two layers of convolutions that leave
// out every other place (13 x 13 and 5 x 5 places of maps), a hidden layer, and ten outputs. Blocks are small and never
// fill their warps: 16 threads that share the places of one map or the neurons of one layer.
//
//   digits [--size small|default|large] [--seed N]
#include <algorithm>

#include "../common/workload.h"

#pragma clang fp contract(off)  // so that the host's sums have the same bits

using workload::DeviceBuffer;
using workload::Random;

constexpr const char* kProgram = "digits";
constexpr int kThreads = 16;
constexpr int kDigits = 10;
constexpr int kSide = 29, kFirstSide = 13, kSecondSide = 5, kKernel = 5;
constexpr int kPixels = kSide * kSide, kFirst = kFirstSide * kFirstSide, kSecond = kSecondSide * kSecondSide;
constexpr int kTaps = kKernel * kKernel;

struct Shape {
  int first_maps, second_maps, hidden;
};

// In the place of a sigmoid: the same on device and host to the last bit.
__host__ __device__ inline float squashed(float x) { return x / (1.0f + fabsf(x)); }

// The value of a map's place; a kernel has a bias before its taps.
__host__ __device__ inline float convolved(const float* maps, int side, int count, const float* kernels, int x, int y) {
  float sum = kernels[0];
  for (int map = 0; map < count; ++map) {
    const float* const kernel = kernels + 1 + map * kTaps;
    for (int tap = 0; tap < kTaps; ++tap) {
      sum += kernel[tap] * maps[(map * side + 2 * y + tap / kKernel) * side + 2 * x + tap % kKernel];
    }
  }
  return squashed(sum);
}

__host__ __device__ inline float neuron(const float* inputs, int count, const float* weights) {
  float sum = weights[0];
  for (int i = 0; i < count; ++i) sum += weights[1 + i] * inputs[i];
  return squashed(sum);
}

// A block per map of a picture (blockIdx.y): from `count` maps of `from_side` to one of `side`.
__global__ void convolve(const float* from, int from_side, int count, const float* kernels, int side, float* to) {
  const int map = static_cast<int>(blockIdx.x);
  const int picture = static_cast<int>(blockIdx.y);
  const float* const maps = from + picture * count * from_side * from_side;
  for (int at = static_cast<int>(threadIdx.x); at < side * side; at += kThreads) {
    to[(picture * static_cast<int>(gridDim.x) + map) * side * side + at] =
        convolved(maps, from_side, count, kernels + map * (1 + count * kTaps), at % side, at / side);
  }
}

__global__ void connect(const float* from, int count, const float* weights, int neurons, float* to) {
  const int at = static_cast<int>(blockIdx.x) * kThreads + static_cast<int>(threadIdx.x);
  const int picture = static_cast<int>(blockIdx.y);
  if (at >= neurons) return;
  to[picture * neurons + at] = neuron(from + picture * count, count, weights + at * (1 + count));
}

namespace {

// Seven strokes as of a pocket calculator: upper, the two upper sides, middle, the two lower sides, lower.
constexpr const char* kStrokes[kDigits] = {"1110111", "0010010", "1011101", "1011011", "0111010",
                                           "1101011", "1101111", "1010010", "1111111", "1111011"};

// A digit written a little aside, slanted, and with noise.
std::vector<float> written(int digit, Random& random) {
  std::vector<float> picture(kPixels);
  for (float& pixel : picture) pixel = 0.2f * random.unit();
  const int left = 7 + static_cast<int>(random.below(3)), top = 4 + static_cast<int>(random.below(2));
  const int slant = 3 + static_cast<int>(random.below(2));
  const auto draw = [&](int x, int y) {
    for (int dx = 0; dx < 3; ++dx) picture[(top + y) * kSide + left + x + dx + (20 - y) / (2 * slant)] = 1.0f;
  };
  for (int stroke = 0; stroke < 7; ++stroke) {
    if (kStrokes[digit][stroke] == '0') continue;
    for (int i = 0; i < 10; ++i) {
      if (stroke % 3 == 0) {
        for (int thick = 0; thick < 2; ++thick) draw(i, stroke / 3 * 9 + thick);
      } else {
        draw(stroke % 3 == 1 ? 0 : 9, (stroke > 3 ? 10 : 0) + i);
      }
    }
  }
  return picture;
}

struct Network {
  Shape shape;
  std::vector<float> first, second, hidden, output;
};

std::vector<float> random_weights(int neurons, int inputs, Random& random) {
  std::vector<float> weights(static_cast<size_t>(neurons) * (inputs + 1));
  const float scale = 1.5f / std::sqrt(static_cast<float>(inputs));
  for (float& weight : weights) weight = scale * (2.0f * random.unit() - 1.0f);
  return weights;
}

// What the layers before the output make of a picture.
std::vector<float> hidden_of(const Network& network, const std::vector<float>& picture) {
  const Shape& shape = network.shape;
  std::vector<float> first, second, hidden;
  for (int i = 0; i < shape.first_maps * kFirst; ++i) {
    first.push_back(convolved(picture.data(), kSide, 1, &network.first[i / kFirst * (1 + kTaps)],
                              i % kFirst % kFirstSide, i % kFirst / kFirstSide));
  }
  for (int i = 0; i < shape.second_maps * kSecond; ++i) {
    second.push_back(convolved(first.data(), kFirstSide, shape.first_maps,
                               &network.second[i / kSecond * (1 + shape.first_maps * kTaps)], i % kSecond % kSecondSide,
                               i % kSecond / kSecondSide));
  }
  for (int i = 0; i < shape.hidden; ++i) {
    hidden.push_back(neuron(second.data(), static_cast<int>(second.size()), &network.hidden[i * (1 + second.size())]));
  }
  return hidden;
}

std::vector<float> outputs_of(const Network& network, const std::vector<float>& picture) {
  const std::vector<float> hidden = hidden_of(network, picture);
  std::vector<float> outputs;
  for (int digit = 0; digit < kDigits; ++digit) {
    outputs.push_back(neuron(hidden.data(), network.shape.hidden, &network.output[digit * (1 + hidden.size())]));
  }
  return outputs;
}

// The first layers are random; an output is taught how a digit's mean in the hidden layer differs from the mean of all.
Network trained(Shape shape, int examples, Random& random) {
  Network network = {shape,
                     random_weights(shape.first_maps, kTaps, random),
                     random_weights(shape.second_maps, shape.first_maps * kTaps, random),
                     random_weights(shape.hidden, shape.second_maps * kSecond, random),
                     {}};
  std::vector<std::vector<float>> means(kDigits, std::vector<float>(shape.hidden, 0.0f));
  std::vector<float> all(shape.hidden, 0.0f);
  for (int i = 0; i < examples * kDigits; ++i) {
    const std::vector<float> hidden = hidden_of(network, written(i % kDigits, random));
    for (int j = 0; j < shape.hidden; ++j) {
      means[i % kDigits][j] += hidden[j] / static_cast<float>(examples);
      all[j] += hidden[j] / static_cast<float>(examples * kDigits);
    }
  }
  for (const std::vector<float>& mean : means) {
    float bias = 0.0f;
    const size_t at = network.output.size();
    network.output.push_back(0.0f);
    for (int j = 0; j < shape.hidden; ++j) {
      network.output.push_back(mean[j] - all[j]);
      bias -= 0.5f * (mean[j] - all[j]) * (mean[j] + all[j]);
    }
    network.output[at] = bias;
  }
  return network;
}

}  // namespace

int main(int argc, char** argv) {
  const workload::Options options = workload::parse_only_options(kProgram, argc, argv);
  const Shape shape = {workload::by_size(options.size, 1, 6, 6), workload::by_size(options.size, 2, 16, 32),
                       workload::by_size(options.size, 10, 60, 100)};
  const int pictures = workload::by_size(options.size, 1, 16, 64);
  Random random(options.seed);
  const Network network = trained(shape, workload::by_size(options.size, 4, 30, 30), random);
  std::vector<float> all;
  std::vector<int> digits;
  for (int i = 0; i < pictures; ++i) {
    digits.push_back(static_cast<int>(random.below(kDigits)));
    const std::vector<float> picture = written(digits.back(), random);
    all.insert(all.end(), picture.begin(), picture.end());
  }

  const DeviceBuffer<float> first_weights(network.first), second_weights(network.second);
  const DeviceBuffer<float> hidden_weights(network.hidden), output_weights(network.output);
  const DeviceBuffer<float> from(all), first(static_cast<size_t>(pictures) * shape.first_maps * kFirst);
  const DeviceBuffer<float> second(static_cast<size_t>(pictures) * shape.second_maps * kSecond);
  const DeviceBuffer<float> hidden(static_cast<size_t>(pictures) * shape.hidden);
  const DeviceBuffer<float> outputs(static_cast<size_t>(pictures) * kDigits);
  const auto rows = static_cast<unsigned>(pictures);
  convolve<<<dim3(shape.first_maps, rows), kThreads>>>(from.get(), kSide, 1, first_weights.get(), kFirstSide,
                                                       first.get());
  workload::check_launch("convolve");
  convolve<<<dim3(shape.second_maps, rows), kThreads>>>(first.get(), kFirstSide, shape.first_maps, second_weights.get(),
                                                        kSecondSide, second.get());
  workload::check_launch("convolve");
  connect<<<dim3((shape.hidden + kThreads - 1) / kThreads, rows), kThreads>>>(
      second.get(), shape.second_maps * kSecond, hidden_weights.get(), shape.hidden, hidden.get());
  workload::check_launch("connect");
  connect<<<dim3(1, rows), kThreads>>>(hidden.get(), shape.hidden, output_weights.get(), kDigits, outputs.get());
  workload::check_launch("connect");

  std::vector<float> expected;
  int recognised = 0;
  for (int i = 0; i < pictures; ++i) {
    const std::vector<float> row = outputs_of(network, {all.begin() + i * kPixels, all.begin() + (i + 1) * kPixels});
    expected.insert(expected.end(), row.begin(), row.end());
    recognised += std::max_element(row.begin(), row.end()) - row.begin() == digits[i];
  }
  std::printf("digits: %d of %d recognised\n", recognised, pictures);
  return workload::verdict(workload::compare(outputs.download(), expected, 0.0f));
}
