// SPDX-License-Identifier: Apache-2.0
// Preloaded into a program, makes the n-th call of one kind fail. WARPFOLD_FAULT=PROGRAM:KIND:N:ERRNO:FILE: only in
// processes of that name; FILE is made when the fault has happened. Kinds: open, write, rename, close, mkdir, unlink,
// fork, map, memory. What the C library calls within itself is not seen; standard error is left alone. Counting begins
// when the libraries are loaded, before the program's own initialisation.
#include <dlfcn.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <sys/uio.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace {

enum Kind { kOpen, kWrite, kRename, kClose, kMkdir, kUnlink, kFork, kMap, kMemory, kNone };
constexpr const char* kNames[] = {"open", "write", "rename", "close", "mkdir", "unlink", "fork", "map", "memory"};

Kind armed = kNone;
long at = 0;
int error = 0;
const char* fired = "";
std::atomic<long> calls = 0;

bool fails(Kind kind) {
  if (kind != armed || ++calls != at) return false;
  const long file = syscall(SYS_openat, AT_FDCWD, fired, O_WRONLY | O_CREAT, 0666);
  syscall(SYS_close, file);
  errno = error;
  return true;
}

template <class Function>
Function* real(const char* name) {
  return reinterpret_cast<Function*>(dlsym(RTLD_NEXT, name));
}

__attribute__((constructor)) void arm() {
  static char text[4096];
  const char* const given = getenv("WARPFOLD_FAULT");
  if (given == nullptr || strlen(given) >= sizeof text) return;
  strcpy(text, given);
  char* rest = nullptr;
  const char* const program = strtok_r(text, ":", &rest);
  const char* const kind = strtok_r(nullptr, ":", &rest);
  const char* const number = strtok_r(nullptr, ":", &rest);
  const char* const code = strtok_r(nullptr, ":", &rest);
  fired = strtok_r(nullptr, ":", &rest);
  if (fired == nullptr || strcmp(program, program_invocation_short_name) != 0) return;
  at = atol(number);
  error = atoi(code);
  for (int i = 0; i < kNone; ++i) {
    if (strcmp(kNames[i], kind) == 0) armed = static_cast<Kind>(i);
  }
}

constexpr int kErrorSeen = 0x20;  // of glibc's FILE

bool stream_fails(FILE* stream) {
  if (stream == stderr || !fails(kWrite)) return false;
  stream->_flags |= kErrorSeen;
  return true;
}

mode_t mode_in(int flags, va_list& arguments) {
  return (flags & (O_CREAT | O_TMPFILE)) != 0 ? va_arg(arguments, mode_t) : 0;
}

}  // namespace

extern "C" {

void* __libc_malloc(size_t);
void* __libc_calloc(size_t, size_t);
void* __libc_realloc(void*, size_t);
void* __libc_memalign(size_t, size_t);

void* malloc(size_t bytes) { return fails(kMemory) ? nullptr : __libc_malloc(bytes); }
void* calloc(size_t count, size_t bytes) { return fails(kMemory) ? nullptr : __libc_calloc(count, bytes); }
void* realloc(void* old, size_t bytes) { return fails(kMemory) ? nullptr : __libc_realloc(old, bytes); }
void* aligned_alloc(size_t to, size_t bytes) { return fails(kMemory) ? nullptr : __libc_memalign(to, bytes); }
int posix_memalign(void** out, size_t to, size_t bytes) {
  if (fails(kMemory)) return ENOMEM;
  *out = __libc_memalign(to, bytes);
  return *out == nullptr ? ENOMEM : 0;
}
void* mmap(void* where, size_t bytes, int protection, int flags, int file, off_t offset) {
  if (fails(kMap)) return MAP_FAILED;
  return reinterpret_cast<void*>(syscall(SYS_mmap, where, bytes, protection, flags, file, offset));
}

#define WARPFOLD_OPEN(name)                                                                \
  int name(const char* path, int flags, ...) {                                             \
    va_list arguments;                                                                     \
    va_start(arguments, flags);                                                            \
    const mode_t mode = mode_in(flags, arguments);                                         \
    va_end(arguments);                                                                     \
    return fails(kOpen) ? -1 : real<int(const char*, int, ...)>(#name)(path, flags, mode); \
  }
WARPFOLD_OPEN(open)
WARPFOLD_OPEN(open64)
#define WARPFOLD_OPENAT(name)                                                                              \
  int name(int directory, const char* path, int flags, ...) {                                              \
    va_list arguments;                                                                                     \
    va_start(arguments, flags);                                                                            \
    const mode_t mode = mode_in(flags, arguments);                                                         \
    va_end(arguments);                                                                                     \
    return fails(kOpen) ? -1 : real<int(int, const char*, int, ...)>(#name)(directory, path, flags, mode); \
  }
WARPFOLD_OPENAT(openat)
WARPFOLD_OPENAT(openat64)
FILE* fopen(const char* path, const char* mode) {
  return fails(kOpen) ? nullptr : real<FILE*(const char*, const char*)>("fopen")(path, mode);
}
FILE* fopen64(const char* path, const char* mode) {
  return fails(kOpen) ? nullptr : real<FILE*(const char*, const char*)>("fopen64")(path, mode);
}

ssize_t write(int file, const void* bytes, size_t count) {
  if (file != 2 && fails(kWrite)) return -1;
  return syscall(SYS_write, file, bytes, count);
}
ssize_t writev(int file, const iovec* parts, int count) {
  if (file != 2 && fails(kWrite)) return -1;
  return syscall(SYS_writev, file, parts, count);
}
size_t fwrite(const void* bytes, size_t size, size_t count, FILE* stream) {
  if (stream_fails(stream)) return 0;
  return real<size_t(const void*, size_t, size_t, FILE*)>("fwrite")(bytes, size, count, stream);
}
int fputs(const char* text, FILE* stream) {
  return stream_fails(stream) ? EOF : real<int(const char*, FILE*)>("fputs")(text, stream);
}
int fflush(FILE* stream) {
  if (stream != nullptr && stream_fails(stream)) return EOF;
  return real<int(FILE*)>("fflush")(stream);
}
int fclose(FILE* stream) {
  const int closed = real<int(FILE*)>("fclose")(stream);
  return fails(kClose) ? EOF : closed;
}

int rename(const char* from, const char* to) {
  return fails(kRename) ? -1 : static_cast<int>(syscall(SYS_rename, from, to));
}
int mkdir(const char* path, mode_t mode) {
  return fails(kMkdir) ? -1 : static_cast<int>(syscall(SYS_mkdir, path, mode));
}
int unlink(const char* path) { return fails(kUnlink) ? -1 : static_cast<int>(syscall(SYS_unlink, path)); }
int remove(const char* path) { return fails(kUnlink) ? -1 : real<int(const char*)>("remove")(path); }
pid_t fork() { return fails(kFork) ? -1 : real<pid_t()>("fork")(); }

}  // extern "C"
