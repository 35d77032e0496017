// Parser of the workload language (docs/workload-language.md). Checks what does not depend on motifs and machine;
// check.hpp does the rest.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "workload/diagnostics.hpp"
#include "workload/model.hpp"
#include "workload/variables.hpp"

namespace stressbench::workload {

// A file's text by its path; throws UserMistake when there is none.
using ReadFile = std::function<std::string(const std::string& path)>;
// From the disk. Refuses what is not a regular file and what is larger than limits.hpp allows.
std::string read_file(const std::string& path);

struct Parsed {
  Workload workload;
  Diagnostics diagnostics;
  Position start;        // the workload as a whole
  bool complete = true;  // false: parsing stopped early, so that missing parts are no error
};

// Errors in the files are reported in `diagnostics` and not thrown. What `read` throws for `path` itself is passed on.
Parsed parse(const std::string& path, const ReadFile& read, const std::vector<Setting>& settings = {});

// Every key of the language, with its brackets, in the order of the documentation.
std::vector<std::string> keys();

}  // namespace stressbench::workload
