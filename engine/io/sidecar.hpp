// The sidecar file PATH.stressbench, which records to which run the files of PATH belong.
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

// Of each kind that a sidecar file may name: at most one for each rank, and no job has more ranks.
inline constexpr int most_files = 1 << 24;

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
