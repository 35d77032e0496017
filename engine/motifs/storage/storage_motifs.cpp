// A motif for each storage backend, of its name.
#include "motifs/storage/transfers.hpp"

namespace stressbench::storage {
namespace {

std::vector<ProvidedMotif> motifs_of_backends() {
  std::vector<ProvidedMotif> all;
  for (const BackendEntry& backend : backends()) {
    all.push_back({{backend.name, Family::storage, backend.summary, backend.source},
                   [&backend] { return std::make_unique<Transfers>(backend); }});
  }
  return all;
}

const bool provided = (MotifCatalogue::instance().add_later(motifs_of_backends), true);

}  // namespace
}  // namespace stressbench::storage
