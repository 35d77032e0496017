#include "motifs/motif.hpp"

namespace stressbench {
namespace {

const bool registered = [] {
  for (const char* name :
       {"neighbor_allgather", "neighbor_allgatherv", "neighbor_alltoall", "neighbor_alltoallv", "neighbor_alltoallw"}) {
    MotifCatalogue::instance().add_unavailable(name, "SimGrid's MPI has no neighbourhood collectives");
  }
  return true;
}();

}  // namespace
}  // namespace stressbench
