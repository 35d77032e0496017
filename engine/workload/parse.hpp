// Parser of the workload language (docs/workload-language.md), with the checks that do not depend on motifs and
// machine. The others are in check.hpp.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "workload/diagnostics.hpp"
#include "workload/model.hpp"
#include "workload/variables.hpp"

namespace stressbench::workload {

// Returns the text of the file at `path`; throws UserMistake if there is none.
using ReadFile = std::function<std::string(const std::string& path)>;
// Reads a file from disk. Throws UserMistake if it is not a regular file or exceeds the size in limits.hpp.
std::string read_file(const std::string& path);

struct Parsed {
  Workload workload;
  Diagnostics diagnostics;
  Position start;        // the workload as a whole
  bool complete = true;  // false: parsing stopped early, so missing parts are not mistakes
};

// Errors in the files are reported in `diagnostics` and not thrown. Only exceptions of `read` for `path` itself are
// passed on.
Parsed parse(const std::string& path, const ReadFile& read, const std::vector<Setting>& settings = {});

// All keys of the language with their brackets, in the order of the documentation.
std::vector<std::string> keys();

}  // namespace stressbench::workload
