#include "workload/variables.hpp"

#include <algorithm>
#include <array>

#include "workload/text.hpp"

namespace stressbench::workload {
namespace {

constexpr std::array environment_names{"SCRATCH", "TMPDIR"};

}  // namespace

std::vector<Setting> environment_settings(const std::function<const char*(const char*)>& look_up) {
  std::vector<Setting> settings;
  for (const char* name : environment_names) {
    const char* found = look_up(name);
    const std::string_view value = found == nullptr ? "" : found;
    if (value.empty() || find_bad_byte(value) || value.find_first_of("\r\n") != std::string_view::npos) continue;
    settings.push_back({name, std::string(value), Setting::Origin::environment});
  }
  return settings;
}

std::string with_environment(std::string text, const std::vector<Setting>& settings) {
  for (const Setting& setting : settings) {
    if (setting.origin != Setting::Origin::environment) continue;
    const std::string use = "${" + setting.name + "}";
    for (std::size_t at = text.find(use); at != std::string::npos; at = text.find(use, at + setting.value.size())) {
      text.replace(at, use.size(), setting.value);
    }
  }
  return text;
}

bool is_environment_variable(std::string_view name) noexcept {
  return std::ranges::any_of(environment_names, [&](std::string_view known) { return known == name; });
}

bool is_variable_name(std::string_view text) noexcept {
  const auto is_letter = [](char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; };
  const auto fits = [&](char c) { return is_letter(c) || (c >= '0' && c <= '9'); };
  return !text.empty() && is_letter(text.front()) && std::ranges::all_of(text, fits);
}

Setting parse_setting(std::string_view text) {
  const std::size_t equals = text.find('=');
  if (equals == std::string_view::npos || !is_variable_name(text.substr(0, equals)))
    throw UserMistake("--set " + in_quotes(text) + " must be name=value");
  return {std::string(text.substr(0, equals)), std::string(text.substr(equals + 1))};
}

Variables::Variables(const std::vector<Setting>& settings) {
  for (const Setting& setting : settings) {
    const bool is_command_line = setting.origin == Setting::Origin::command_line;
    if (!is_command_line && variables_.contains(setting.name)) continue;
    variables_[setting.name] = {is_command_line ? with_environment(setting.value, settings) : setting.value,
                                is_command_line, false};
  }
}

void Variables::set(const std::string& name, const std::string& value) {
  Variable& variable = variables_[name];
  variable.known_to_file = true;
  if (!variable.from_command_line) variable.value = value;
}

const std::string* Variables::find(const std::string& name) {
  const auto found = variables_.find(name);
  if (found == variables_.end()) return nullptr;
  found->second.known_to_file = true;
  return &found->second.value;
}

std::vector<std::string> Variables::names() const {
  std::vector<std::string> all;
  for (const auto& [name, variable] : variables_) {
    if (variable.known_to_file) all.push_back(name);
  }
  return all;
}

std::vector<Setting> Variables::unused() const {
  std::vector<Setting> all;
  for (const auto& [name, variable] : variables_) {
    if (variable.from_command_line && !variable.known_to_file) all.push_back({name, variable.value});
  }
  return all;
}

}  // namespace stressbench::workload
