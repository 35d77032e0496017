// The sidecar file PATH.stressbench, which records to which run the files of PATH belong.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "io/layout.hpp"

namespace stressbench::io {

// A run, as in the header record of its run file. Two launches of one run (--continue) share the id.
struct Run {
  std::string id;
  std::string launch;  // id of the launch, different from that of any earlier launch
};

struct Sidecar {
  Run run;
  std::string host;
  std::int64_t pid = 0;
  Layout layout;
  std::optional<std::int64_t> process_start = {};  // in clock ticks since boot; version 0.1.0 did not record it
};

// Maximum number of files, and of directories, in a sidecar file: at most one for each rank, and no job has more ranks.
inline constexpr int max_files = 1 << 24;

std::string sidecar_name(const std::string& path);
// The sidecar of this process.
Sidecar own_sidecar(const Run& run, const Layout& layout);

// Whether there is a sidecar file that is no regular file of this user. Anybody could have written it, or a link to it.
bool has_foreign_sidecar(const std::string& path) noexcept;
// None if there is no sidecar file. Throws UserMistake if the file is foreign or was not written by StressBench.
std::optional<Sidecar> read_sidecar(const std::string& path);
// Creates the sidecar file, before the first file of the run. Returns false if there is one. Throws MachineFault.
bool create_sidecar(const std::string& path, const Sidecar& sidecar);
void replace_sidecar(const std::string& path, const Sidecar& sidecar);
bool remove_sidecar(const std::string& path) noexcept;

}  // namespace stressbench::io
