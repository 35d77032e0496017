// Names of the files that belong to a directory of measurements, so that no result overwrites them.
#pragma once

#include <filesystem>

namespace stressbench::output {

// Whether the absolute path is, or would be, a file of a study, of `rails run` or of `degrade run`: by its name and by
// the files in the directories above it. The same names as in src/stressbench/formats/files/studies.py.
bool belongs_to_study(const std::filesystem::path& path);

}  // namespace stressbench::output
