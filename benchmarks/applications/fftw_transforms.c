// Transforms complex numbers in NX x NY x NZ points (NZ 1: in two dimensions) with FFTW, there and back, REPETITIONS
// times:
//
//     fftw_transforms NX NY NZ REPETITIONS [transposed] [destroy]
//
// The plans are FFTW's estimates, in place. With `transposed` the spectrum keeps FFTW's own layout; with `destroy` the
// transform is from one array to another and may overwrite its input, for which FFTW calls MPI_Alltoall.
#include <fftw3-mpi.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static ptrdiff_t largest(ptrdiff_t a, ptrdiff_t b) { return a > b ? a : b; }

static int has(int count, char** words, const char* word) {
  for (int k = 5; k < count; ++k) {
    if (strcmp(words[k], word) == 0) return 1;
  }
  return 0;
}

int main(int count, char** words) {
  MPI_Init(&count, &words);
  fftw_mpi_init();
  if (count < 5) {
    fprintf(stderr, "usage: %s NX NY NZ REPETITIONS [transposed] [destroy]\n", words[0]);
    MPI_Abort(MPI_COMM_WORLD, 2);
  }
  const ptrdiff_t sides[3] = {atol(words[1]), atol(words[2]), atol(words[3])};
  const int dimensions = sides[2] > 1 ? 3 : 2;
  const int repetitions = atoi(words[4]);
  const unsigned transposed = has(count, words, "transposed");
  const unsigned flags = FFTW_ESTIMATE | (has(count, words, "destroy") ? FFTW_DESTROY_INPUT : 0);

  ptrdiff_t own, first, own_transposed, first_transposed;
  const ptrdiff_t room = largest(fftw_mpi_local_size(dimensions, sides, MPI_COMM_WORLD, &own, &first),
                                 fftw_mpi_local_size_transposed(dimensions, sides, MPI_COMM_WORLD, &own, &first,
                                                                &own_transposed, &first_transposed));
  fftw_complex* points = fftw_alloc_complex(room);
  fftw_complex* spectrum = (flags & FFTW_DESTROY_INPUT) ? fftw_alloc_complex(room) : points;
  const fftw_plan there = fftw_mpi_plan_dft(dimensions, sides, points, spectrum, MPI_COMM_WORLD, FFTW_FORWARD,
                                            flags | (transposed ? FFTW_MPI_TRANSPOSED_OUT : 0));
  const fftw_plan back = fftw_mpi_plan_dft(dimensions, sides, spectrum, points, MPI_COMM_WORLD, FFTW_BACKWARD,
                                           flags | (transposed ? FFTW_MPI_TRANSPOSED_IN : 0));

  const ptrdiff_t numbers = own * sides[1] * sides[2];
  const double scale = 1.0 / ((double)sides[0] * (double)sides[1] * (double)sides[2]);
  for (ptrdiff_t k = 0; k < numbers; ++k) {
    points[k][0] = (double)((first + k) % 1009);
    points[k][1] = 0;
  }
  for (int repetition = 0; repetition < repetitions; ++repetition) {
    fftw_execute(there);
    fftw_execute(back);
    for (ptrdiff_t k = 0; k < numbers; ++k) {
      points[k][0] *= scale;
      points[k][1] *= scale;
    }
  }
  int wrong = 0;
  for (ptrdiff_t k = 0; k < numbers; ++k) wrong |= fabs(points[k][0] - (double)((first + k) % 1009)) > 1e-6;
  if (wrong) fprintf(stderr, "%s: the numbers are not those of the beginning\n", words[0]);
  fftw_destroy_plan(there);
  fftw_destroy_plan(back);
  MPI_Finalize();
  return wrong;
}
