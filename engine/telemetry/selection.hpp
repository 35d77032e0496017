// The sources that a user selects: --telemetry auto, off or NAME,...
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "telemetry/source.hpp"

namespace stressbench::telemetry {

inline constexpr std::string_view command_source = "command";  // the source of --telemetry-command

struct Selection {
  std::vector<SourceEntry> sources;
  bool is_named = false;  // each source was named, and must have counters on a host
};

// Throws UserMistake for names that are not sources.
Selection selected_sources(const std::string& text);

}  // namespace stressbench::telemetry
