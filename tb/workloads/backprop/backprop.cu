// SPDX-License-Identifier: Apache-2.0
// Trains a neural net with one hidden layer by back-propagation (Rumelhart, Hinton, Williams, Nature 1986). The wide
// layer, from the inputs to the 16 hidden units, is the device's: a block of 16 x 16 threads takes 16 inputs, sums
// their contributions in a tree on the way forward and adjusts their weights on the way back. The host does the narrow
// rest.
//
// TBC's Table 1, TSTBC's Table 2 and HARP's Table 5 have backprop of Rodinia (asubah/rodinia at commit c7cb01d). Blocks
// and the tree are its own: which rows add up in a step is the remainder by a power of two, which is computed as a
// power; and one column of threads stores the sums. So is the size at default, one example of 65,536 inputs, as in its
// file run; HARP has 64 blocks, which are 1024 inputs.
//
//   backprop [--size small|default|large] [--seed N] [--inputs N]
#include <algorithm>

#include "../common/workload.h"

using workload::DeviceBuffer;
using workload::Random;

constexpr const char* kProgram = "backprop";
constexpr int kHidden = 16;
constexpr int kInputsPerBlock = 16;
constexpr int kSteps = 4;  // of the tree over a block's inputs
constexpr float kRate = 0.3f;
constexpr float kMomentum = 0.3f;

// Weights are stored input by input. partial_sums gets a row of kHidden sums for each block.
__global__ void forward(const float* input, const float* weights, float* partial_sums) {
  __shared__ float values[kInputsPerBlock];
  __shared__ float products[kInputsPerBlock][kHidden];
  const int tx = static_cast<int>(threadIdx.x);  // the hidden unit
  const int ty = static_cast<int>(threadIdx.y);  // the input within the block
  const int index = static_cast<int>(blockIdx.x) * kInputsPerBlock + ty;
  if (tx == 0) values[ty] = input[index];
  __syncthreads();
  products[ty][tx] = weights[index * kHidden + tx];
  __syncthreads();
  products[ty][tx] *= values[ty];
  __syncthreads();
  for (int step = 1; step <= kSteps; ++step) {
    const int rows = static_cast<int>(__powf(2.0f, static_cast<float>(step)));  // that are one after this step
    if (ty % rows == 0) products[ty][tx] += products[ty + rows / 2][tx];
    __syncthreads();
  }
  if (tx == 0) partial_sums[blockIdx.x * kHidden + ty] = products[0][ty];
}

// Moves every weight against its gradient, and on by a part of its last change.
__global__ void adjust(const float* input, const float* hidden_errors, float* weights, float* changes) {
  const int tx = static_cast<int>(threadIdx.x);
  const int index = static_cast<int>(blockIdx.x) * kInputsPerBlock + static_cast<int>(threadIdx.y);
  const int weight = index * kHidden + tx;
  const float change = kRate * hidden_errors[tx] * input[index] + kMomentum * changes[weight];
  weights[weight] += change;
  changes[weight] = change;
}

namespace {

// The narrow part: a weight from every hidden unit to the one output, and what each of them last changed by.
struct OutputLayer {
  std::vector<double> weights;
  std::vector<double> changes;
};

double squash(double sum) { return 1.0 / (1.0 + std::exp(-sum)); }

// Goes from the hidden units' sums to the output and back to the errors of the hidden units; `output` gets what the net
// said before.
std::vector<double> train_output(const std::vector<double>& sums, double target, OutputLayer& layer, double& output) {
  double sum = 0.0;
  for (int h = 0; h < kHidden; ++h) sum += squash(sums[h]) * layer.weights[h];
  output = squash(sum);
  const double output_error = output * (1.0 - output) * (target - output);
  std::vector<double> errors(kHidden);
  for (int h = 0; h < kHidden; ++h) {
    const double unit = squash(sums[h]);
    errors[h] = unit * (1.0 - unit) * output_error * layer.weights[h];
    layer.changes[h] = kRate * output_error * unit + kMomentum * layer.changes[h];
    layer.weights[h] += layer.changes[h];
  }
  return errors;
}

struct Example {
  std::vector<float> input;
  double target;
};

class DeviceNet {
 public:
  DeviceNet(int inputs, const std::vector<float>& weights, const OutputLayer& output)
      : blocks_(inputs / kInputsPerBlock),
        weights_(weights),
        changes_(weights.size()),
        input_(inputs),
        partial_sums_(static_cast<size_t>(blocks_) * kHidden),
        errors_(kHidden),
        output_(output) {
    changes_.fill_bytes(0);
  }

  double train(const Example& example) {
    const dim3 threads(kHidden, kInputsPerBlock);
    input_.upload(example.input);
    forward<<<blocks_, threads>>>(input_.get(), weights_.get(), partial_sums_.get());
    workload::check_launch("forward");
    const std::vector<float> partial_sums = partial_sums_.download();
    std::vector<double> sums(kHidden, 0.0);
    for (size_t i = 0; i < partial_sums.size(); ++i) sums[i % kHidden] += partial_sums[i];
    double said = 0.0;
    const std::vector<double> errors = train_output(sums, example.target, output_, said);
    errors_.upload(std::vector<float>(errors.begin(), errors.end()));
    adjust<<<blocks_, threads>>>(input_.get(), errors_.get(), weights_.get(), changes_.get());
    workload::check_launch("adjust");
    return said;
  }
  std::vector<float> weights() const { return weights_.download(); }

 private:
  int blocks_;
  DeviceBuffer<float> weights_;
  DeviceBuffer<float> changes_;
  DeviceBuffer<float> input_;
  DeviceBuffer<float> partial_sums_;
  DeviceBuffer<float> errors_;
  OutputLayer output_;
};

// The same in double precision, for the check; also takes each unit's inputs in plain order.
class HostNet {
 public:
  HostNet(const std::vector<float>& weights, const OutputLayer& output)
      : weights_(weights.begin(), weights.end()), changes_(weights.size(), 0.0), output_(output) {}

  double train(const Example& example) {
    std::vector<double> sums(kHidden, 0.0);
    for (size_t i = 0; i < weights_.size(); ++i) sums[i % kHidden] += example.input[i / kHidden] * weights_[i];
    double said = 0.0;
    const std::vector<double> errors = train_output(sums, example.target, output_, said);
    for (size_t i = 0; i < weights_.size(); ++i) {
      changes_[i] = kRate * errors[i % kHidden] * example.input[i / kHidden] + kMomentum * changes_[i];
      weights_[i] += changes_[i];
    }
    return said;
  }
  std::vector<float> weights() const { return std::vector<float>(weights_.begin(), weights_.end()); }

 private:
  std::vector<double> weights_;
  std::vector<double> changes_;
  OutputLayer output_;
};

// Weights small enough that the sums of many inputs do not saturate a unit.
std::vector<float> random_weights(int inputs, Random& random) {
  const float scale = 2.0f / std::sqrt(static_cast<float>(inputs));
  std::vector<float> weights(static_cast<size_t>(inputs) * kHidden);
  for (float& weight : weights) weight = (2.0f * random.unit() - 1.0f) * scale;
  return weights;
}

int inputs_of(const workload::Options& options) {
  if (options.arguments.empty()) return workload::by_size(options.size, 256, 65536, 65536);
  const std::string& text = options.arguments.back();
  if (options.arguments.size() != 2 || options.arguments[0] != "--inputs") {
    workload::user_error(kProgram, "unknown argument '" + options.arguments[0] +
                                       "'; known are --size small|default|large, --seed N and --inputs N");
  }
  const unsigned inputs = workload::parse_count(kProgram, "--inputs", text);
  if (inputs % kInputsPerBlock != 0) workload::user_error(kProgram, "--inputs " + text + ": give a multiple of 16");
  return static_cast<int>(inputs);
}

}  // namespace

int main(int argc, char** argv) {
  const workload::Options options = workload::parse_options(kProgram, argc, argv);
  const int inputs = inputs_of(options);
  const int examples = workload::by_size(options.size, 3, 1, 10);
  Random random(options.seed);
  const std::vector<float> weights = random_weights(inputs, random);
  OutputLayer output{std::vector<double>(kHidden), std::vector<double>(kHidden, 0.0)};
  for (double& weight : output.weights) weight = 2.0 * random.unit() - 1.0;

  DeviceNet device(inputs, weights, output);
  HostNet host(weights, output);
  std::string why;
  for (int i = 0; i < examples && why.empty(); ++i) {
    Example example{std::vector<float>(inputs), random.below(2) == 0 ? 0.1 : 0.9};
    for (float& value : example.input) value = random.unit();
    const double said = device.train(example);
    const double expected = host.train(example);
    if (!(std::fabs(said - expected) <= 1e-5)) {
      why = "output " + std::to_string(said) + " of example " + std::to_string(i) + ", expected " +
            std::to_string(expected);
    }
    std::printf("backprop: %d inputs, example %d: output %.6f, target %.1f\n", inputs, i, said, example.target);
  }
  if (why.empty()) why = workload::compare(device.weights(), host.weights(), 1e-6f);
  return workload::verdict(why);
}
