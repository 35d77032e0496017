// An output file named by the user: written completely or not at all, and never over an input file.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace stressbench::output {

class ResultFile {
 public:
  // To be constructed before the measurement. Throws UserMistake "OPTION: 'PATH' REASON" if the file cannot be written
  // or is one of `inputs`, of which those that name no file are ignored.
  ResultFile(std::string option, std::string path, std::span<const std::string> inputs);

  // Writes a new file in the same directory and renames it; writes directly to a terminal, a pipe or another device.
  // Throws MachineFault.
  void write(std::string_view text) const;

 private:
  bool is_stream() const;
  void replace(std::string_view text) const;
  void require_folder() const;

  std::string option_;
  std::string path_;
  std::string target_;  // with links resolved
};

}  // namespace stressbench::output
