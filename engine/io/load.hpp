// Backends over large libraries are modules of their own, loaded when one is asked for: HDF5 brings thirty libraries
// and 11 MiB into every rank, most of which never write a data set.
#pragma once

#include <string>
#include <vector>

namespace stressbench::io {

// A backend that a build may have as a module or lack.
struct OptionalBackend {
  std::string name;
  std::string missing;  // why it cannot be used, and which packages change that; empty where it can
};

// Once: loads every module that lies beside the program (lib/stressbench/backends where it is installed, else where it
// was built). They register themselves in backends(). Gives all optional backends, by name.
const std::vector<OptionalBackend>& load_backends();

}  // namespace stressbench::io
