#include "motifs/motif.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <tuple>

namespace stressbench {

WrongByte::WrongByte(int sender, int receiver, std::int64_t offset, int expected, int found)
    : MachineFault(
          fmt::format("wrong byte: rank {} received {:#04x} from rank {} at offset {} of the message, expected {:#04x}",
                      receiver, found, sender, offset, expected)) {}

MotifCatalogue& MotifCatalogue::instance() {
  static MotifCatalogue catalogue;
  return catalogue;
}

void MotifCatalogue::add(CatalogueEntry entry, MotifMaker maker) { registered_.push_back({std::move(entry), maker}); }

std::vector<CatalogueEntry> MotifCatalogue::entries() const {
  std::vector<CatalogueEntry> all;
  for (const auto& registered : registered_) all.push_back(registered.entry);
  std::ranges::sort(all, {}, [](const CatalogueEntry& entry) { return std::tie(entry.family, entry.name); });
  return all;
}

std::unique_ptr<Motif> MotifCatalogue::make(std::string_view name) const {
  for (const auto& registered : registered_) {
    if (parameter_detail::same_name(registered.entry.name, name)) return registered.make();
  }
  return nullptr;
}

}  // namespace stressbench
