// SPDX-License-Identifier: Apache-2.0
// A program that is more than one main(): kernels from destructors and exit handlers, forked children, several threads,
// and arithmetic of its own. Its argument names the scenario. It asks for no memory of its own on the host.
#include <sys/wait.h>
#include <unistd.h>
#include <xmmintrin.h>
#include <cfenv>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <thread>
__device__ int counter;
__global__ void bump() { atomicAdd(&counter, 1); }
__global__ void other() { atomicAdd(&counter, 100); }
__global__ void wild(int* p) { *p = 1; }
__global__ void compute(float* p) {
  p[1] = p[0] + 1e-9f;
  p[3] = p[2] * 0.5f;
}
bool at_end = false;
void say(const char* who) {
  int value = -1;
  cudaMemcpyFromSymbol(&value, counter, sizeof value);
  printf("%s %d %s\n", who, value, cudaGetErrorName(cudaGetLastError()));
}
void end(const char* who) {
  if (!at_end) return;
  bump<<<2, 32>>>();
  other<<<1, 32>>>();  // never before: decoded now
  say(who);
}
struct Late { ~Late() { end("destructor"); } } late;
void handler() { end("handler"); }
// Before any other initialisation of the program, so that it runs after everything else.
__attribute__((constructor(101))) static void first() { atexit(handler); }
void child() {
  fflush(stdout);
  if (fork() == 0) {
    for (int i = 0; i < 3; ++i) bump<<<4, 256>>>();
    say("child");
    exit(0);
  }
  int status = -1;
  wait(&status);
  printf("child's status %d\n", WEXITSTATUS(status));
}
int main(int, char** arguments) {
  const char* scenario = arguments[1];
  if (!strcmp(scenario, "ends")) {
    at_end = true;
    bump<<<1, 32>>>();
  } else if (!strcmp(scenario, "ends only")) {
    at_end = true;
  } else if (!strcmp(scenario, "fork")) {
    bump<<<1, 32>>>();
    child();
    bump<<<1, 32>>>();
    say("parent");
  } else if (!strcmp(scenario, "fork first")) {
    child();
    say("parent");
  } else if (!strcmp(scenario, "fork twice")) {
    child();
    child();
  } else if (!strcmp(scenario, "fault")) {
    bump<<<1, 32>>>();
    wild<<<1, 1>>>(nullptr);
    bump<<<1, 32>>>();
    say("fault");
    cudaDeviceReset();
    cudaGetLastError();
    bump<<<2, 32>>>();
    say("reset");
  } else if (!strcmp(scenario, "refused")) {
    bump<<<1, 2048>>>();
    bump<<<1, 32>>>();
    say("refused");
  } else if (!strcmp(scenario, "threads")) {
    for (int i = 0; i < 2; ++i) std::thread([] { bump<<<1, 32>>>(); }).join();
    say("threads");
  } else {
    if (!strcmp(scenario, "upward")) fesetround(FE_UPWARD);
    if (!strcmp(scenario, "flush")) _mm_setcsr(_mm_getcsr() | 0x8040);
    if (!strcmp(scenario, "trap")) feenableexcept(FE_ALL_EXCEPT);
    float values[4] = {1, 0, 1e-38f, 0}, *p;
    cudaMalloc((void**)&p, sizeof values);
    cudaMemcpy(p, values, sizeof values, cudaMemcpyHostToDevice);
    compute<<<1, 1>>>(p);
    cudaMemcpy(values, p, sizeof values, cudaMemcpyDeviceToHost);
    unsigned bits[4];
    memcpy(bits, values, sizeof bits);
    printf("%d %d\n", values[1] == 1.0f, bits[3] != 0);
    if (!strcmp(scenario, "upward")) printf("%s\n", fegetround() == FE_UPWARD ? "still upward" : "changed");
  }
}
