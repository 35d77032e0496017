// What a motif's declarations say of it: for `describe`, `motif NAME --help` and the reference page.
#pragma once

#include <string>

#include "motifs/motif.hpp"
#include "output/json.hpp"

namespace stressbench::output {

std::string motif_page(const CatalogueEntry& entry, const Motif& motif);
Json motif_json(const CatalogueEntry& entry, const Motif& motif);

// "12 messages, 384 KiB" of what one iteration moves over all ranks.
std::string spell(const Traffic& traffic);
Json to_json(const Traffic& traffic);

}  // namespace stressbench::output
