#include "motifs/motif.hpp"

namespace stressbench::io {
namespace {

// Files would be real files of this machine, and their access would take no simulated time.
const bool registered = [] {
  for (const char* name : {"posix", "mpiio", "hdf5", "pnetcdf", "memory", "metadata", "b_eff_io"}) {
    MotifCatalogue::instance().add_unavailable(name, "a simulation has no files");
  }
  return true;
}();

}  // namespace
}  // namespace stressbench::io
