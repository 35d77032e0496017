#include "telemetry/selection.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "core/error.hpp"
#include "core/suggest.hpp"

namespace stressbench::telemetry {
namespace {

const SourceEntry& entry_of(const std::string& name, const std::vector<SourceEntry>& all) {
  const auto found = std::ranges::find(all, name, &SourceEntry::name);
  if (found != all.end()) return *found;
  std::vector<std::string> names;
  for (const SourceEntry& one : all) names.push_back(one.name);
  const auto guess = nearest(name, names);
  const std::string hint = guess ? fmt::format(", did you mean '{}'?", *guess) : "";
  throw UserMistake("--telemetry: '{}' is not a source{}; give auto, off, or some of {}", name, hint,
                    fmt::format("{}", fmt::join(names, ",")));
}

}  // namespace

Selection selected_sources(const std::string& text) {
  const std::vector<SourceEntry> all = source_entries();
  if (text == "off") return {};
  if (text == "auto") return {all, false};
  Selection selection{{}, true};
  std::size_t start = 0;
  while (start <= text.size()) {
    const std::size_t comma = std::min(text.find(',', start), text.size());
    const SourceEntry& entry = entry_of(text.substr(start, comma - start), all);
    if (std::ranges::find(selection.sources, entry.name, &SourceEntry::name) != selection.sources.end())
      throw UserMistake("--telemetry: '{}' is given twice", entry.name);
    selection.sources.push_back(entry);
    start = comma + 1;
  }
  return selection;
}

}  // namespace stressbench::telemetry
