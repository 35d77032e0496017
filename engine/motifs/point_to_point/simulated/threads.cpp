#include "motifs/motif.hpp"

namespace stressbench {
namespace {

const bool registered =
    (MotifCatalogue::instance().add_unavailable("threads", "ranks of a simulation have no threads"), true);

}  // namespace
}  // namespace stressbench
