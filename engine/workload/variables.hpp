// Variables of a workload: [SET] name=value and ${name}.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "workload/diagnostics.hpp"

namespace stressbench::workload {

// `--set name=value` on the command line, or an environment variable.
struct Setting {
  enum class Origin { command_line, environment };

  std::string name;
  std::string value;
  Origin origin = Origin::command_line;
};
// Parses name=value. Throws UserMistake if the text is anything else.
Setting parse_setting(std::string_view text);

// Values of ${SCRATCH} and ${TMPDIR} if neither [SET] nor --set sets them. `look_up` returns an environment variable or
// null. Variables that are empty or not a single line of text are ignored.
std::vector<Setting> environment_settings(const std::function<const char*(const char*)>& look_up);

// `text` with each ${name} replaced by its value in `settings`, for settings from the environment only.
std::string with_environment(std::string text, const std::vector<Setting>& settings);

// Whether a workload may use this environment variable.
bool is_environment_variable(std::string_view name) noexcept;

// Whether the text is a letter or underscore, followed by letters, digits and underscores.
bool is_variable_name(std::string_view text) noexcept;

class Variables {
 public:
  // A setting of the command line overrides every [SET] of the same name, and a [SET] overrides the environment. The
  // last setting of a name overrides earlier ones. Settings of the command line may refer to environment variables.
  explicit Variables(const std::vector<Setting>& settings);

  void set(const std::string& name, const std::string& value);  // for [SET]
  const std::string* find(const std::string& name);             // null if undefined
  std::vector<std::string> names() const;
  std::vector<Setting> unused() const;  // from the command line, neither set nor used by the file

 private:
  struct Variable {
    std::string value;
    bool from_command_line = false;
    bool known_to_file = false;
  };
  std::map<std::string, Variable, std::less<>> variables_;
};

}  // namespace stressbench::workload
