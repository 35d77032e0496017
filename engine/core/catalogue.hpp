// Which motifs exist. The workload's checker asks a catalogue; the engine's own is filled by the motifs' files as they
// register.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "core/pattern.hpp"

namespace stressbench {

struct CatalogueEntry {
  std::string name;  // lower case
  Family family = Family::point_to_point;
  std::string summary;  // one line
  std::string source;   // application and paper, or "" for a building block
};

class Catalogue {
 public:
  virtual ~Catalogue() = default;
  virtual std::vector<CatalogueEntry> entries() const = 0;  // sorted by family, then name
  // A fresh pattern with its defaults, by name in any case; null when unknown.
  virtual std::unique_ptr<Pattern> make_pattern(std::string_view name) const = 0;
  // Why this build lacks the motif of this name, which others have; empty where it does not, or the name means nothing.
  virtual std::string absence(std::string_view name) const { return (void)name, std::string{}; }
};

}  // namespace stressbench
