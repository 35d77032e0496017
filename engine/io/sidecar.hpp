// The note beside a run's files that says whose they are: PATH.stressbench.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "io/layout.hpp"

namespace stressbench::io {

// As its header record has it. Two launches of one run (--continue) share the id.
struct Run {
  std::string id;
  std::string launch;  // its own id, other than that of any launch before
};

struct Sidecar {
  Run run;
  std::string host;
  std::int64_t pid = 0;
  Layout layout;
  std::optional<std::int64_t> process_start = {};  // in clock ticks since the host's; version 0.1.0 did not note it
};

std::string sidecar_name(const std::string& path);
// Of this process.
Sidecar sidecar_of(const Run& run, const Layout& layout);

// None where there is none. Throws UserMistake where it is none of ours.
std::optional<Sidecar> read_sidecar(const std::string& path);
// Made before the first file: false where there is one. Throws MachineFault.
bool make_sidecar(const std::string& path, const Sidecar& sidecar);
void replace_sidecar(const std::string& path, const Sidecar& sidecar);
bool remove_sidecar(const std::string& path) noexcept;

}  // namespace stressbench::io
