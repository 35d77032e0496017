// Documentation of a motif, generated from its declarations, for `describe`, `motif NAME --help` and reference pages.
#pragma once

#include <string>

#include "motifs/motif.hpp"
#include "output/json.hpp"

namespace stressbench::output {

std::string motif_page(const CatalogueEntry& entry, const Motif& motif);
Json motif_json(const CatalogueEntry& entry, const Motif& motif);

// Traffic of one iteration over all ranks as text: "12 messages, 384 KiB".
std::string spell(const Traffic& traffic);
Json to_json(const Traffic& traffic);

}  // namespace stressbench::output
