#include "output/study_files.hpp"

#include <algorithm>
#include <array>
#include <string>
#include <string_view>

namespace stressbench::output {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view manifest = "manifest.jsonl";
constexpr std::string_view launches = "launches.jsonl";

// "study-12.toml", "study-12.json"
bool is_study_version(std::string_view name) {
  constexpr std::string_view start = "study-";
  if (!name.starts_with(start) || !(name.ends_with(".toml") || name.ends_with(".json"))) return false;
  const std::string_view number =
      name.substr(start.size(), name.size() - start.size() - std::string_view(".toml").size());
  return !number.empty() && std::ranges::all_of(number, [](char c) { return c >= '0' && c <= '9'; });
}

bool is_study_file(const fs::path& in_study) {
  constexpr std::array names{manifest, launches, std::string_view("environment.json"), std::string_view(".lock"),
                             std::string_view("SHA256SUMS")};
  const std::string first = in_study.begin()->string();
  if (std::next(in_study.begin()) == in_study.end()) {
    return std::ranges::find(names, first) != names.end() || is_study_version(first) ||
           (first.starts_with('.') && first.ends_with(".new"));
  }
  return first == "workloads" || first == "schema" || (first == "runs" && in_study.extension() == ".jsonl");
}

}  // namespace

bool belongs_to_study(const fs::path& path) {
  std::error_code unknown;
  for (fs::path folder = path.parent_path();; folder = folder.parent_path()) {
    const bool is_study =
        fs::is_regular_file(folder / manifest, unknown) || fs::is_regular_file(folder / launches, unknown);
    if (is_study && is_study_file(path.lexically_relative(folder))) return true;
    if (folder == folder.parent_path()) return false;
  }
}

}  // namespace stressbench::output
