// Backends based on large libraries are modules that are loaded when one of them is used: HDF5 adds thirty libraries
// and 11 MiB to every rank.
#pragma once

#include <string>
#include <vector>

namespace stressbench::io {

// A backend that is a module, and may be missing in a build.
struct OptionalBackend {
  std::string name;
  std::string missing;  // why it is not available, and which packages to install; empty if available
};

// Loads all modules on the first call, from lib/stressbench/backends of the installation or from the build directory.
// They register themselves in backends(). Returns all optional backends, by name.
const std::vector<OptionalBackend>& load_backends();

}  // namespace stressbench::io
