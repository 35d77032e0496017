// A file that a person named for a result: written whole or not at all, and never in the place of what was read.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace stressbench::output {

class ResultFile {
 public:
  // To be made before anything is measured. Throws UserMistake "OPTION: 'PATH' REASON" where the file cannot be
  // written, or is one of `inputs`; those of them that name no file do not count.
  ResultFile(std::string option, std::string path, std::span<const std::string> inputs);

  // Fills a new file beside it, which then takes its name; a terminal, a pipe or another device is written to as it
  // stands. Throws MachineFault.
  void write(std::string_view text) const;

 private:
  bool is_stream() const;
  void replace(std::string_view text) const;
  void require_folder() const;

  std::string option_;
  std::string path_;
  std::string target_;  // behind links
};

}  // namespace stressbench::output
