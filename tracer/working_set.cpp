#include "working_set.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <unistd.h>

#include <cstddef>
#include <cstdio>
#include <cstring>

namespace stressbench::trace::working_set {
namespace {

// Whether the line begins a mapping of memory that belongs to no file, and whether it begins any mapping.
struct Mapping {
  bool begins = false;
  bool belongs_to_no_file = false;
};

Mapping mapping_of(const char* line) noexcept {
  unsigned long begin = 0;
  unsigned long end = 0;
  unsigned long inode = 0;
  if (std::sscanf(line, "%lx-%lx %*s %*s %*s %lu", &begin, &end, &inode) != 3) return {};
  return {true, inode == 0 && std::strstr(line, "[v") == nullptr};  // [vdso], [vvar], [vsyscall]: the kernel's
}

// Pages whose addresses the processor still has in its TLB would not be marked again, and clear_refs flushes no TLB. To
// unmap many used pages flushes all of it.
bool flush_tlb() noexcept {
  constexpr std::size_t size = std::size_t{1} << 20;
  void* const memory = mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) return false;
  std::memset(memory, 1, size);
  return munmap(memory, size) == 0;
}

}  // namespace

void count_small_pages() noexcept { prctl(PR_SET_THP_DISABLE, 1, 0, 0, 0); }

bool begin() noexcept {
  const int file = open("/proc/self/clear_refs", O_WRONLY | O_CLOEXEC);
  if (file < 0) return false;
  const bool done = write(file, "1", 1) == 1;
  close(file);
  return done && flush_tlb();
}

std::int64_t end_bytes() noexcept {
  std::FILE* const file = std::fopen("/proc/self/smaps", "re");
  if (file == nullptr) return -1;
  std::int64_t sum = 0;
  bool counts = false;
  char line[512];
  while (std::fgets(line, sizeof(line), file) != nullptr) {
    long kilobytes = 0;
    if (const Mapping mapping = mapping_of(line); mapping.begins) {
      counts = mapping.belongs_to_no_file;
    } else if (counts && std::sscanf(line, "Referenced: %ld kB", &kilobytes) == 1) {
      sum += kilobytes * 1024;
    }
  }
  std::fclose(file);
  return sum;
}

}  // namespace stressbench::trace::working_set
