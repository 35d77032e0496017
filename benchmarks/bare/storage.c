// Files as a careful person would write and read them with POSIX or MPI-IO, for comparison with the storage motifs:
// open, TRANSFERS transfers of SIZE bytes, close. One file for all ranks (each rank's bytes together, as IOR's
// default), or a file a rank. For benchmarks/turns only; files lie in the folder STRESSBENCH_BARE_FOLDER.
#include <fcntl.h>
#include <unistd.h>

#include "loop.h"

enum { TRANSFERS = 64 };

static char path[4096];
static int in_use;  // files were made, on all ranks

static void must(int good, const char* call) {
  if (good) return;
  perror(call);
  MPI_Abort(MPI_COMM_WORLD, 1);
}

static void name_file(const char* name, int own, int rank) {
  const char* folder = getenv("STRESSBENCH_BARE_FOLDER");
  snprintf(path, sizeof path, own ? "%s/%s.%08d" : "%s/%s", folder ? folder : ".", name, rank);
}

static MPI_Offset start_of(int own, int rank, int bytes) { return own ? 0 : (MPI_Offset)rank * TRANSFERS * bytes; }

static void posix_write(char* buffer, int bytes, int own, int rank) {
  const int file = open(path, O_CREAT | O_WRONLY, 0666);
  must(file >= 0, "open");
  MPI_Offset at = start_of(own, rank, bytes);
  for (int i = 0; i < TRANSFERS; ++i, at += bytes) must(pwrite(file, buffer, (size_t)bytes, at) == bytes, "pwrite");
  must(close(file) == 0, "close");
}

static void posix_read(char* buffer, int bytes, int own, int rank) {
  const int file = open(path, O_RDONLY);
  must(file >= 0, "open");
  MPI_Offset at = start_of(own, rank, bytes);
  for (int i = 0; i < TRANSFERS; ++i, at += bytes) must(pread(file, buffer, (size_t)bytes, at) == bytes, "pread");
  must(close(file) == 0, "close");
}

static void mpiio_write(char* buffer, int bytes, int own, int rank, MPI_Comm group) {
  MPI_File file;
  MPI_File_open(own ? MPI_COMM_SELF : group, path, MPI_MODE_CREATE | MPI_MODE_WRONLY, MPI_INFO_NULL, &file);
  MPI_Offset at = start_of(own, rank, bytes);
  for (int i = 0; i < TRANSFERS; ++i, at += bytes) {
    MPI_File_write_at(file, at, buffer, bytes, MPI_BYTE, MPI_STATUS_IGNORE);
  }
  MPI_File_close(&file);
}

static void mpiio_read(char* buffer, int bytes, int own, int rank, MPI_Comm group) {
  MPI_File file;
  MPI_File_open(own ? MPI_COMM_SELF : group, path, MPI_MODE_RDONLY, MPI_INFO_NULL, &file);
  MPI_Offset at = start_of(own, rank, bytes);
  for (int i = 0; i < TRANSFERS; ++i, at += bytes) {
    MPI_File_read_at(file, at, buffer, bytes, MPI_BYTE, MPI_STATUS_IGNORE);
  }
  MPI_File_close(&file);
}

static void remove_file(const char* name, int own, int rank, MPI_Comm group) {
  name_file(name, own, rank);
  MPI_Barrier(group);
  if (own || rank == 0) unlink(path);
  MPI_Barrier(group);
}

// Not there when it is to be written; there when it is to be read.
static void make_ready(const char* name, int own, int reads, char* buffer, int bytes, int rank, MPI_Comm group) {
  in_use = 1;
  if (!reads) {
    remove_file(name, own, rank, group);
    return;
  }
  name_file(name, own, rank);
  const int missing = access(path, F_OK) != 0;
  MPI_Barrier(group);  // nobody takes a file that another rank is only making for one that is there
  if (missing) posix_write(buffer, bytes, own, rank);
  MPI_Barrier(group);
}

#define STORAGE_LOOP(pattern, own, reads, transfer)                                                                    \
  static void repeat_##pattern(char* out, char* in, int bytes, int rank, int ranks, MPI_Comm group, long iterations) { \
    (void)in, (void)ranks, (void)group;                                                                                \
    for (long i = 0; i < iterations; ++i) transfer;                                                                    \
  }                                                                                                                    \
  static void before_##pattern(char* out, int bytes, int rank, MPI_Comm group) {                                       \
    make_ready(#pattern, own, reads, out, bytes, rank, group);                                                         \
  }                                                                                                                    \
  static void end_##pattern(void) {                                                                                    \
    if (!in_use) return;                                                                                               \
    in_use = 0;                                                                                                        \
    int rank;                                                                                                          \
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);                                                                              \
    remove_file(#pattern, own, rank, MPI_COMM_WORLD);                                                                  \
  }                                                                                                                    \
  const struct BarePattern bare_##pattern = {#pattern, repeat_##pattern, end_##pattern, 1.0, 0, before_##pattern};

STORAGE_LOOP(posix_write_one, 0, 0, posix_write(out, bytes, 0, rank))
STORAGE_LOOP(posix_read_one, 0, 1, posix_read(out, bytes, 0, rank))
STORAGE_LOOP(posix_write_rank, 1, 0, posix_write(out, bytes, 1, rank))
STORAGE_LOOP(posix_read_rank, 1, 1, posix_read(out, bytes, 1, rank))
STORAGE_LOOP(mpiio_write_one, 0, 0, mpiio_write(out, bytes, 0, rank, group))
STORAGE_LOOP(mpiio_read_one, 0, 1, mpiio_read(out, bytes, 0, rank, group))
STORAGE_LOOP(mpiio_write_rank, 1, 0, mpiio_write(out, bytes, 1, rank, group))
STORAGE_LOOP(mpiio_read_rank, 1, 1, mpiio_read(out, bytes, 1, rank, group))
