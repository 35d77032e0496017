#include "motifs/motif.hpp"

namespace stressbench::io {
namespace {

// Their files would be real files of this machine, and their access would take no simulated time.
const bool registered = [] {
  for (const char* name : {"hdf5", "pnetcdf", "memory", "metadata", "b_eff_io"}) {
    MotifCatalogue::instance().add_unavailable(name, "a simulation has the files of posix and mpiio only");
  }
  return true;
}();

}  // namespace
}  // namespace stressbench::io
