// Files beside blocking reads and writes: views, requests, shared pointers, split collectives.
#include <mpi.h>

#include "patterns.h"

static void requests(MPI_File file) {
  double out[8], in[8] = {0};
  MPI_Request request[2];
  for (int k = 0; k < 8; ++k) out[k] = rank;
  MPI_File_iwrite_at(file, 8 * rank, out, 8, MPI_DOUBLE, &request[0]);
  MPI_Wait(&request[0], MPI_STATUS_IGNORE);
  MPI_File_iread_at(file, 8 * rank, in, 4, MPI_DOUBLE, &request[0]);
  MPI_File_iread_at(file, 8 * rank + 4, in + 4, 4, MPI_DOUBLE, &request[1]);
  MPI_Waitall(2, request, MPI_STATUSES_IGNORE);
  if (in[0] != rank || in[7] != rank) fail("iread_at");
  MPI_File_seek(file, 8 * rank, MPI_SEEK_SET);
  MPI_File_iwrite(file, out, 4, MPI_DOUBLE, &request[0]);
  MPI_Wait(&request[0], MPI_STATUS_IGNORE);
  MPI_File_iwrite_at_all(file, 8 * rank, out, 8, MPI_DOUBLE, &request[0]);
  MPI_Wait(&request[0], MPI_STATUS_IGNORE);
  MPI_File_iread_all(file, in, 4, MPI_DOUBLE, &request[0]);
  MPI_Wait(&request[0], MPI_STATUS_IGNORE);
}

static void split(MPI_File file) {
  double out[8], in[8] = {0};
  for (int k = 0; k < 8; ++k) out[k] = 100 + rank;
  MPI_File_write_at_all_begin(file, 8 * rank, out, 8, MPI_DOUBLE);
  MPI_File_write_at_all_end(file, out, MPI_STATUS_IGNORE);
  MPI_File_seek(file, 8 * rank, MPI_SEEK_SET);
  MPI_File_read_all_begin(file, in, 8, MPI_DOUBLE);
  MPI_File_read_all_end(file, in, MPI_STATUS_IGNORE);
  if (in[0] != 100 + rank) fail("read_all_end");
}

static void ordered(MPI_File file) {
  double value = rank, seen = -1;
  MPI_File_seek_shared(file, 0, MPI_SEEK_SET);
  MPI_File_write_ordered(file, &value, 1, MPI_DOUBLE, MPI_STATUS_IGNORE);
  MPI_File_write_shared(file, &value, 1, MPI_DOUBLE, MPI_STATUS_IGNORE);
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_File_seek_shared(file, 0, MPI_SEEK_SET);
  MPI_File_read_ordered(file, &seen, 1, MPI_DOUBLE, MPI_STATUS_IGNORE);
  if (seen != rank) fail("read_ordered");
  MPI_File_read_shared(file, &seen, 1, MPI_DOUBLE, MPI_STATUS_IGNORE);
  MPI_Barrier(MPI_COMM_WORLD);
}

void files(int iterations) {
  MPI_File file;
  MPI_File_open(MPI_COMM_WORLD, "patterns.file", MPI_MODE_RDWR | MPI_MODE_CREATE | MPI_MODE_DELETE_ON_CLOSE,
                MPI_INFO_NULL, &file);
  MPI_File_preallocate(file, 4096);
  MPI_File_set_size(file, 8192);
  MPI_File_set_view(file, 64, MPI_DOUBLE, MPI_DOUBLE, "native", MPI_INFO_NULL);
  for (int i = 0; i < iterations; ++i) {
    requests(file);
    split(file);
    ordered(file);
  }
  MPI_File_close(&file);
}
