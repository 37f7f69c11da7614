// SPDX-License-Identifier: Apache-2.0
// Captured streams: what is recorded, done again, and refused.
#include "tests/host/runtime_fixture.h"
#include "warpfold/host/graphs/graphs.h"

namespace warpfold::host {
namespace graphs_test {

class GraphsTest : public RuntimeApi {
 protected:
  static cudaStream_t stream() {
    cudaStream_t made = nullptr;
    EXPECT_EQ(cudaStreamCreate(&made), cudaSuccess);
    return made;
  }
  static cudaGraphExec_t executable(cudaGraph_t graph) {
    cudaGraphExec_t made = nullptr;
    EXPECT_EQ(cudaGraphInstantiate(&made, graph, nullptr, nullptr, 0), cudaSuccess);
    return made;
  }
  const cudaStream_t captured = stream();
};

TEST_F(GraphsTest, WhatWasCapturedIsDoneAtEveryLaunch) {
  int* const p = device_ints({0, 0});
  int in[2] = {1, 2}, out[2] = {-1, -1}, calls = 0;
  const unsigned before = runtime_device().launches();
  ASSERT_EQ(cudaStreamBeginCapture(captured, cudaStreamCaptureModeGlobal), cudaSuccess);
  ASSERT_EQ(cudaMemcpyAsync(p, in, sizeof in, cudaMemcpyHostToDevice, captured), cudaSuccess);
  ASSERT_EQ(launch_scale(p, 1, 2, captured), cudaSuccess);
  ASSERT_EQ(cudaMemcpyAsync(out, p, sizeof out, cudaMemcpyDeviceToHost, captured), cudaSuccess);
  ASSERT_EQ(cudaLaunchHostFunc(
                captured, [](void* data) { ++*static_cast<int*>(data); }, &calls),
            cudaSuccess);
  cudaStreamCaptureStatus status = cudaStreamCaptureStatusNone;
  ASSERT_EQ(cudaStreamIsCapturing(captured, &status), cudaSuccess);
  EXPECT_EQ(status, cudaStreamCaptureStatusActive);
  cudaGraph_t graph = nullptr;
  ASSERT_EQ(cudaStreamEndCapture(captured, &graph), cudaSuccess);
  EXPECT_EQ(runtime_device().launches(), before);
  EXPECT_TRUE(out[0] == -1 && calls == 0);
  std::size_t nodes = 0;
  ASSERT_EQ(cudaGraphGetNodes(graph, nullptr, &nodes), cudaSuccess);
  EXPECT_EQ(nodes, 4u);
  const cudaGraphExec_t ready = executable(graph);
  EXPECT_EQ(cudaGraphDestroy(graph), cudaSuccess);
  for (int turn = 1; turn <= 3; ++turn) {
    in[0] = turn;
    ASSERT_EQ(cudaGraphLaunch(ready, captured), cudaSuccess);
    EXPECT_EQ(out[0], 3 * turn + 1);
    EXPECT_EQ(out[1], 7);
    EXPECT_EQ(calls, turn);
  }
  EXPECT_EQ(runtime_device().launches(), before + 3);
  EXPECT_EQ(cudaGraphExecDestroy(ready), cudaSuccess);
  EXPECT_EQ(cudaGraphLaunch(ready, captured), cudaErrorInvalidResourceHandle);
  EXPECT_EQ(cudaGraphDestroy(graph), cudaErrorInvalidValue);
}

TEST_F(GraphsTest, CopiesOfArraysAreRecorded) {
  const cudaChannelFormatDesc format = cudaCreateChannelDesc<int>();
  cudaArray_t array = nullptr;
  ASSERT_EQ(cudaMallocArray(&array, &format, 2, 0, 0), cudaSuccess);
  int in[2] = {1, 2}, out[2] = {-1, -1};
  ASSERT_EQ(cudaStreamBeginCapture(captured, cudaStreamCaptureModeGlobal), cudaSuccess);
  ASSERT_EQ(cudaMemcpyToArrayAsync(array, 0, 0, in, sizeof in, cudaMemcpyHostToDevice, captured), cudaSuccess);
  ASSERT_EQ(cudaMemcpy2DFromArrayAsync(out, sizeof out, array, 0, 0, sizeof out, 1, cudaMemcpyDeviceToHost, captured),
            cudaSuccess);
  cudaGraph_t graph = nullptr;
  ASSERT_EQ(cudaStreamEndCapture(captured, &graph), cudaSuccess);
  EXPECT_EQ(out[1], -1);
  in[1] = 9;
  ASSERT_EQ(cudaGraphLaunch(executable(graph), captured), cudaSuccess);
  EXPECT_EQ(out[1], 9);
  EXPECT_EQ(cudaFreeArray(array), cudaSuccess);
}

TEST_F(GraphsTest, StreamsJoinByEvents) {
  const cudaStream_t other = stream();
  int* const p = device_ints({1});
  cudaEvent_t fork = nullptr, join = nullptr;
  ASSERT_EQ(cudaEventCreate(&fork), cudaSuccess);
  ASSERT_EQ(cudaEventCreate(&join), cudaSuccess);
  ASSERT_EQ(cudaStreamBeginCapture(captured, cudaStreamCaptureModeGlobal), cudaSuccess);
  ASSERT_EQ(cudaEventRecord(fork, captured), cudaSuccess);
  ASSERT_EQ(cudaStreamWaitEvent(other, fork, 0), cudaSuccess);
  ASSERT_EQ(launch_scale(p, 0, 1, other), cudaSuccess);
  ASSERT_EQ(cudaEventRecord(join, other), cudaSuccess);
  ASSERT_EQ(cudaStreamWaitEvent(captured, join, 0), cudaSuccess);
  ASSERT_EQ(launch_scale(p, 1, 1, captured), cudaSuccess);
  cudaGraph_t graph = nullptr;
  EXPECT_EQ(cudaStreamEndCapture(other, &graph), cudaErrorStreamCaptureUnmatched);
  ASSERT_EQ(cudaStreamEndCapture(captured, &graph), cudaSuccess);
  EXPECT_EQ(host_ints(p, 1), std::vector<int>{1});
  ASSERT_EQ(cudaGraphLaunch(executable(graph), nullptr), cudaSuccess);
  EXPECT_EQ(host_ints(p, 1), std::vector<int>{10});
  ASSERT_EQ(launch_scale(p, 0, 1, other), cudaSuccess) << "captured no more";
  EXPECT_EQ(host_ints(p, 1), std::vector<int>{30});
}

TEST_F(GraphsTest, WhatCannotBeCapturedIsRefused) {
  int* const p = device_ints({1});
  cudaGraph_t graph = nullptr;
  EXPECT_EQ(cudaStreamBeginCapture(nullptr, cudaStreamCaptureModeGlobal), cudaErrorStreamCaptureUnsupported);
  EXPECT_EQ(cudaStreamEndCapture(captured, &graph), cudaErrorIllegalState);
  ASSERT_EQ(cudaStreamBeginCapture(captured, cudaStreamCaptureModeGlobal), cudaSuccess);
  EXPECT_EQ(cudaStreamBeginCapture(captured, cudaStreamCaptureModeGlobal), cudaErrorIllegalState);
  EXPECT_EQ(launch_scale(p, 0, 1, cudaStreamPerThread), cudaSuccess) << "not of the capture";
  void* arguments[] = {nullptr};
  EXPECT_EQ(cudaLaunchKernel(&program().wild, dim3(1), dim3(2048), arguments, 0, captured),
            cudaErrorInvalidConfiguration);
  ASSERT_EQ(cudaStreamEndCapture(captured, &graph), cudaSuccess);
  EXPECT_EQ(host_ints(p, 1), std::vector<int>{3});
}

// Whatever waits for work that is only recorded fails, and then all else until the capture has been ended.
TEST_F(GraphsTest, NothingComesOfACaptureThatSomebodyWaitsFor) {
  int* const p = device_ints({1});
  cudaEvent_t event = nullptr;
  ASSERT_EQ(cudaEventCreate(&event), cudaSuccess);
  const std::vector<std::pair<std::function<cudaError_t()>, cudaError_t>> calls = {
      {[&] { return cudaStreamSynchronize(captured); }, cudaErrorStreamCaptureUnsupported},
      {[&] { return cudaStreamQuery(captured); }, cudaErrorStreamCaptureUnsupported},
      {[&] { return cudaDeviceSynchronize(); }, cudaErrorStreamCaptureUnsupported},
      {[&] { return cudaEventSynchronize(event); }, cudaErrorCapturedEvent},
      {[&] { return cudaEventQuery(event); }, cudaErrorCapturedEvent},
      {[&] { return launch_scale(p, 0, 1, nullptr); }, cudaErrorStreamCaptureImplicit},
      {[&] { return cudaMemcpy(p, p, 4, cudaMemcpyDeviceToDevice); }, cudaErrorStreamCaptureImplicit},
      {[&] { return cudaStreamSynchronize(nullptr); }, cudaErrorStreamCaptureImplicit},
  };
  for (std::size_t i = 0; i < calls.size(); ++i) {
    SCOPED_TRACE(i);
    ASSERT_EQ(cudaStreamBeginCapture(captured, cudaStreamCaptureModeGlobal), cudaSuccess);
    ASSERT_EQ(launch_scale(p, 0, 1, captured), cudaSuccess);
    ASSERT_EQ(cudaEventRecord(event, captured), cudaSuccess);
    EXPECT_EQ(calls[i].first(), calls[i].second);
    cudaStreamCaptureStatus status = cudaStreamCaptureStatusNone;
    ASSERT_EQ(cudaStreamIsCapturing(captured, &status), cudaSuccess);
    EXPECT_EQ(status, cudaStreamCaptureStatusInvalidated);
    EXPECT_EQ(launch_scale(p, 0, 1, captured), cudaErrorStreamCaptureInvalidated);
    EXPECT_EQ(cudaMemsetAsync(p, 0, 4, captured), cudaErrorStreamCaptureInvalidated);
    EXPECT_EQ(cudaEventRecord(event, captured), cudaErrorStreamCaptureInvalidated);
    EXPECT_EQ(cudaStreamWaitEvent(stream(), event, 0), cudaErrorStreamCaptureInvalidated);
    EXPECT_EQ(cudaStreamUpdateCaptureDependencies(captured, nullptr, 0, 0), cudaErrorStreamCaptureInvalidated);
    EXPECT_EQ(cudaStreamSynchronize(captured), cudaErrorStreamCaptureInvalidated);
    cudaGraph_t graph = reinterpret_cast<cudaGraph_t>(p);
    EXPECT_EQ(cudaStreamEndCapture(captured, &graph), cudaErrorStreamCaptureInvalidated);
    EXPECT_EQ(graph, nullptr);
    ASSERT_EQ(cudaStreamSynchronize(captured), cudaSuccess);
  }
  EXPECT_EQ(host_ints(p, 1), std::vector<int>{1});
}

// What is done at once is not what a stream records: the capture's mode and the thread's say who may do it meanwhile.
TEST_F(GraphsTest, CapturesForbidMemoryByTheirModes) {
  struct Case {
    cudaStreamCaptureMode capture, thread;
    bool other_thread, forbidden;
  };
  constexpr auto kGlobal = cudaStreamCaptureModeGlobal, kLocal = cudaStreamCaptureModeThreadLocal,
                 kRelaxed = cudaStreamCaptureModeRelaxed;
  const Case cases[] = {{kGlobal, kGlobal, false, true},   {kLocal, kGlobal, false, true},
                        {kRelaxed, kGlobal, false, false}, {kGlobal, kLocal, false, true},
                        {kGlobal, kRelaxed, false, false}, {kGlobal, kGlobal, true, true},
                        {kLocal, kGlobal, true, false},    {kGlobal, kLocal, true, false}};
  for (const Case& one : cases) {
    SCOPED_TRACE(&one - cases);
    ASSERT_EQ(cudaStreamBeginCapture(captured, one.capture), cudaSuccess);
    const auto allocate = [&] {
      cudaStreamCaptureMode mode = one.thread;
      EXPECT_EQ(cudaThreadExchangeStreamCaptureMode(&mode), cudaSuccess);
      void* memory = nullptr;
      EXPECT_EQ(cudaMalloc(&memory, 64), one.forbidden ? cudaErrorStreamCaptureUnsupported : cudaSuccess);
      EXPECT_EQ(cudaThreadExchangeStreamCaptureMode(&mode), cudaSuccess);
      EXPECT_EQ(mode, one.thread);
    };
    one.other_thread ? std::thread(allocate).join() : allocate();
    cudaGraph_t graph = nullptr;
    EXPECT_EQ(cudaStreamEndCapture(captured, &graph), one.forbidden ? cudaErrorStreamCaptureInvalidated : cudaSuccess);
    EXPECT_EQ(graph != nullptr, !one.forbidden);
  }
  auto wrong = static_cast<cudaStreamCaptureMode>(3);
  EXPECT_EQ(cudaThreadExchangeStreamCaptureMode(&wrong), cudaErrorInvalidValue);
  EXPECT_EQ(cudaStreamBeginCapture(captured, wrong), cudaErrorInvalidValue);
}

TEST_F(GraphsTest, TheDefaultStreamDoesNotWaitForOnesThatDoNotBlock) {
  cudaStream_t apart = nullptr;
  int* const p = device_ints({1});
  cudaGraph_t graph = nullptr;
  ASSERT_EQ(cudaStreamCreateWithFlags(&apart, cudaStreamNonBlocking), cudaSuccess);
  ASSERT_EQ(cudaStreamBeginCapture(apart, cudaStreamCaptureModeRelaxed), cudaSuccess);
  ASSERT_EQ(launch_scale(p, 1, 1, apart), cudaSuccess);
  EXPECT_EQ(launch_scale(p, 0, 1, nullptr), cudaSuccess);
  ASSERT_EQ(cudaStreamEndCapture(apart, &graph), cudaSuccess);
  EXPECT_EQ(host_ints(p, 1), std::vector<int>{3});
}

TEST_F(GraphsTest, StreamsThatDoNotJoinAgainMakeNoGraph) {
  const cudaStream_t other = stream(), third = stream();
  int* const p = device_ints({1});
  cudaEvent_t fork = nullptr, join = nullptr;
  ASSERT_EQ(cudaEventCreate(&fork), cudaSuccess);
  ASSERT_EQ(cudaEventCreate(&join), cudaSuccess);
  // `joins`: the work before it is joined, through a third stream; `more`: other work is not.
  const auto capture = [&](bool joins, bool more, cudaGraph_t* graph) {
    EXPECT_EQ(cudaStreamBeginCapture(captured, cudaStreamCaptureModeGlobal), cudaSuccess);
    EXPECT_EQ(launch_scale(p, 1, 1, captured), cudaSuccess);
    EXPECT_EQ(cudaEventRecord(fork, captured), cudaSuccess);
    EXPECT_EQ(cudaStreamWaitEvent(other, fork, 0), cudaSuccess);
    EXPECT_EQ(launch_scale(p, 2, 1, other), cudaSuccess);
    EXPECT_EQ(cudaEventRecord(join, other), cudaSuccess);
    EXPECT_EQ(cudaStreamWaitEvent(third, join, 0), cudaSuccess);
    EXPECT_EQ(more ? launch_scale(p, 3, 1, other) : cudaSuccess, cudaSuccess);
    EXPECT_EQ(cudaEventRecord(join, third), cudaSuccess);
    EXPECT_EQ(joins ? cudaStreamWaitEvent(captured, join, 0) : cudaSuccess, cudaSuccess);
    return cudaStreamEndCapture(captured, graph);
  };
  for (const auto& [joins, more] : {std::pair{false, false}, {false, true}, {true, true}}) {
    cudaGraph_t graph = reinterpret_cast<cudaGraph_t>(p);
    EXPECT_EQ(capture(joins, more, &graph), cudaErrorStreamCaptureUnjoined);
    EXPECT_EQ(graph, nullptr);
    cudaStreamCaptureStatus status = cudaStreamCaptureStatusActive;
    ASSERT_EQ(cudaStreamIsCapturing(other, &status), cudaSuccess);
    EXPECT_EQ(status, cudaStreamCaptureStatusNone);
  }
  cudaGraph_t graph = nullptr;
  ASSERT_EQ(capture(true, false, &graph), cudaSuccess);
  std::size_t edges = 0;
  ASSERT_EQ(cudaGraphGetEdges(graph, nullptr, nullptr, &edges), cudaSuccess);
  EXPECT_EQ(edges, 1U);
}

TEST_F(GraphsTest, OneCaptureDoesNotBecomePartOfAnother) {
  const cudaStream_t other = stream();
  cudaEvent_t event = nullptr;
  cudaGraph_t graph = nullptr;
  ASSERT_EQ(cudaEventCreate(&event), cudaSuccess);
  for (const cudaStream_t one : {captured, other})
    ASSERT_EQ(cudaStreamBeginCapture(one, cudaStreamCaptureModeGlobal), cudaSuccess);
  ASSERT_EQ(cudaEventRecord(event, captured), cudaSuccess);
  EXPECT_EQ(cudaStreamWaitEvent(other, event, 0), cudaErrorStreamCaptureMerge);
  for (const cudaStream_t one : {captured, other})
    EXPECT_EQ(cudaStreamEndCapture(one, &graph), cudaErrorStreamCaptureInvalidated);
}

TEST_F(GraphsTest, AFaultEndsTheGraph) {
  int* p = device_ints({1});
  void* arguments[] = {&p};
  ASSERT_EQ(cudaStreamBeginCapture(captured, cudaStreamCaptureModeGlobal), cudaSuccess);
  ASSERT_EQ(cudaLaunchKernel(&program().wild, dim3(1), dim3(1), arguments, 0, captured), cudaSuccess);
  cudaGraph_t graph = nullptr;
  ASSERT_EQ(cudaStreamEndCapture(captured, &graph), cudaSuccess);
  EXPECT_EQ(cudaGraphLaunch(executable(graph), nullptr), cudaErrorIllegalAddress);
  EXPECT_EQ(cudaDeviceSynchronize(), cudaErrorIllegalAddress);
}

}  // namespace graphs_test
}  // namespace warpfold::host
