// [SET] name=value and ${name}.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "workload/diagnostics.hpp"

namespace stressbench::workload {

// `--set name=value` of the command line.
struct Setting {
  std::string name;
  std::string value;
};
// Throws UserMistake when it is not name=value.
Setting parse_setting(std::string_view text);

// A letter or underscore, then letters, digits and underscores.
bool is_variable_name(std::string_view text) noexcept;

class Variables {
 public:
  // A setting wins over every [SET] of the same name; the last setting of a name wins over the ones before it.
  explicit Variables(const std::vector<Setting>& settings);

  void set(const std::string& name, const std::string& value);  // by the file
  const std::string* find(const std::string& name);             // null when undefined
  std::vector<std::string> names() const;
  std::vector<Setting> unused() const;  // settings whose name the file neither set nor used

 private:
  struct Variable {
    std::string value;
    bool from_command_line = false;
    bool known_to_file = false;
  };
  std::map<std::string, Variable, std::less<>> variables_;
};

}  // namespace stressbench::workload
