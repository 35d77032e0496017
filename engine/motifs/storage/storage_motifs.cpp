// Registers a motif for each storage backend, under the name of the backend.
#include "io/load.hpp"
#include "motifs/storage/transfers.hpp"

namespace stressbench::io {
namespace {

std::vector<ProvidedMotif> motifs_of(std::span<const BackendEntry> entries) {
  std::vector<ProvidedMotif> motifs;
  for (const BackendEntry& backend : entries) {
    ProvidedMotif& motif = motifs.emplace_back();
    motif.entry = CatalogueEntry{backend.name, Family::storage, backend.summary, backend.source};
    motif.make = [backend] { return std::make_unique<Transfers>(backend); };
  }
  return motifs;
}

std::vector<ProvidedMotif> motifs_of_backends() { return motifs_of(backends()); }

std::vector<ProvidedMotif> motifs_of_loaded_backends() {
  const std::size_t already_registered = backends().size();
  for (const OptionalBackend& backend : load_backends()) {
    if (!backend.missing.empty()) MotifCatalogue::instance().add_unavailable(backend.name, backend.missing);
  }
  return motifs_of(std::span(backends()).subspan(already_registered));
}

const bool registered = (MotifCatalogue::instance().add_provider(motifs_of_backends),
                         MotifCatalogue::instance().add_provider(motifs_of_loaded_backends), true);

}  // namespace
}  // namespace stressbench::io
