// [SET] name=value and ${name}.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "workload/diagnostics.hpp"

namespace stressbench::workload {

// `--set name=value` of the command line, or a variable of the environment.
struct Setting {
  enum class Origin { command_line, environment };

  std::string name;
  std::string value;
  Origin origin = Origin::command_line;
};
// Throws UserMistake when it is not name=value.
Setting parse_setting(std::string_view text);

// What ${SCRATCH} and ${TMPDIR} stand for where neither [SET] nor --set says it. `look_up` gives a variable of the
// environment, or null; one that is empty, or not one line of text, counts as not there.
std::vector<Setting> environment_settings(const std::function<const char*(const char*)>& look_up);

// `text` with ${name} replaced by the value of that name which `settings` have from the environment.
std::string with_environment(std::string text, const std::vector<Setting>& settings);

// Whether a workload may have this variable of the environment.
bool is_of_environment(std::string_view name) noexcept;

// A letter or underscore, then letters, digits and underscores.
bool is_variable_name(std::string_view text) noexcept;

class Variables {
 public:
  // A setting of the command line wins over every [SET] of the same name, and a [SET] over the environment; the last
  // setting of a name wins over the ones before it. One of the command line may name variables of the environment.
  explicit Variables(const std::vector<Setting>& settings);

  void set(const std::string& name, const std::string& value);  // by the file
  const std::string* find(const std::string& name);             // null when undefined
  std::vector<std::string> names() const;
  std::vector<Setting> unused() const;  // of the command line, whose name the file neither set nor used

 private:
  struct Variable {
    std::string value;
    bool from_command_line = false;
    bool known_to_file = false;
  };
  std::map<std::string, Variable, std::less<>> variables_;
};

}  // namespace stressbench::workload
