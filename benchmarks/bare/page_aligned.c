// Preloaded under the Intel benchmarks: their buffers of a page or more begin at a page border, as the engine's do.
// glibc places them 16 bytes behind one, and 1 MiB messages then take some 5 % longer: that is a property of the
// buffers, not of either program. What the MPI library allocates stays as it is: with aligned temporary memory, Open
// MPI's allreduce of 256 KiB takes 1.8 times as long.
#define _GNU_SOURCE
#include <link.h>
#include <stddef.h>
#include <stdint.h>

extern void* __libc_malloc(size_t);
extern void* __libc_memalign(size_t, size_t);

enum { page = 4096 };

static uintptr_t begin, end;  // of the program's own code

static int take_code(struct dl_phdr_info* object, size_t size, void* unused) {
  (void)size;
  (void)unused;
  for (int i = 0; i < object->dlpi_phnum; ++i) {
    const ElfW(Phdr)* part = &object->dlpi_phdr[i];
    if (part->p_type != PT_LOAD || !(part->p_flags & PF_X)) continue;
    begin = object->dlpi_addr + part->p_vaddr;
    end = begin + part->p_memsz;
  }
  return 1;  // the first object is the program
}

__attribute__((constructor)) static void find_code(void) { dl_iterate_phdr(take_code, NULL); }

void* malloc(size_t bytes) {
  const uintptr_t caller = (uintptr_t)__builtin_return_address(0);
  return bytes >= page && caller >= begin && caller < end ? __libc_memalign(page, bytes) : __libc_malloc(bytes);
}
