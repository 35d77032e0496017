#include "motifs/motif.hpp"

namespace stressbench {
namespace {

const bool told = (MotifCatalogue::instance().add_absent("threads", "ranks of a simulation have no threads"), true);

}  // namespace
}  // namespace stressbench
