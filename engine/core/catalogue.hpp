// The available motifs, as the workload checker sees them. Each motif's source file registers it in the engine's
// catalogue.
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
  // A new pattern with default parameters. The name is not case-sensitive; null if unknown.
  virtual std::unique_ptr<Pattern> make_pattern(std::string_view name) const = 0;
  // Why this build lacks a motif that other builds have; empty for motifs of this build and for unknown names.
  virtual std::string unavailable_reason(std::string_view name) const { return (void)name, std::string{}; }
};

}  // namespace stressbench
