#include "motifs/motif.hpp"

#include <algorithm>
#include <iterator>
#include <tuple>
#include <utility>

namespace stressbench {

MotifCatalogue& MotifCatalogue::instance() {
  static MotifCatalogue catalogue;
  return catalogue;
}

void MotifCatalogue::add(CatalogueEntry entry, MotifMaker maker) {
  registered_.push_back({std::move(entry), std::move(maker)});
}

void MotifCatalogue::add_provider(std::vector<ProvidedMotif> (*provide)()) { providers_.push_back(provide); }

void MotifCatalogue::add_unavailable(std::string name, std::string why) {
  unavailable_.emplace_back(std::move(name), std::move(why));
}

std::string MotifCatalogue::unavailable_reason(std::string_view name) const {
  for (const auto& [unavailable, why] : unavailable_) {
    if (parameter_detail::same_name(unavailable, name)) return why;
  }
  return {};
}

const std::vector<ProvidedMotif>& MotifCatalogue::all() const {
  for (auto* provide : std::exchange(providers_, {})) std::ranges::move(provide(), std::back_inserter(registered_));
  return registered_;
}

std::vector<CatalogueEntry> MotifCatalogue::entries() const {
  std::vector<CatalogueEntry> entries;
  for (const auto& registered : all()) entries.push_back(registered.entry);
  std::ranges::sort(entries, {}, [](const CatalogueEntry& entry) { return std::tie(entry.family, entry.name); });
  return entries;
}

// Calls one provider after the other until the name is known, since a later one may have to load a library.
std::unique_ptr<Motif> MotifCatalogue::make(std::string_view name) const {
  std::size_t searched = 0;
  for (;;) {
    for (; searched < registered_.size(); ++searched) {
      if (parameter_detail::same_name(registered_[searched].entry.name, name)) return registered_[searched].make();
    }
    if (providers_.empty()) return nullptr;
    auto* provide = providers_.front();
    providers_.erase(providers_.begin());
    std::ranges::move(provide(), std::back_inserter(registered_));
  }
}

}  // namespace stressbench
