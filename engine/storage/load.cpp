#include "storage/load.hpp"

#include <dlfcn.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <system_error>
#include <vector>

namespace stressbench::storage {
namespace {

namespace fs = std::filesystem;

void load_from(const fs::path& folder) {
  std::error_code unreadable;
  std::vector<fs::path> modules;
  for (const auto& entry : fs::directory_iterator(folder, unreadable)) {
    if (entry.path().extension() == ".so") modules.push_back(entry.path());
  }
  std::ranges::sort(modules);
  for (const fs::path& module : modules) ::dlopen(module.c_str(), RTLD_NOW | RTLD_LOCAL);  // and never closed
}

}  // namespace

void load_backends() {
  static bool loaded = false;
  if (loaded) return;
  loaded = true;
  std::error_code unknown;
  const fs::path program = fs::read_symlink("/proc/self/exe", unknown);
  const std::array folders{program.parent_path() / ".." / "lib" / "stressbench" / "backends",
                           fs::path(STRESSBENCH_BUILT_BACKENDS)};
  for (const fs::path& folder : folders) {
    if (!fs::is_directory(folder, unknown)) continue;
    load_from(folder);
    return;
  }
}

}  // namespace stressbench::storage
