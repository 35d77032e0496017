// An output file named by the user. It is written completely or not at all, and never replaces an input file or a file
// of a study. The same rules as in src/stressbench/formats/files/output.py.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace stressbench::output {

class ResultFile {
 public:
  // Must be constructed before the measurement. Throws UserMistake "OPTION: 'PATH' REASON" if the file cannot be
  // written, belongs to a study, lies behind another user's link, or is one of `inputs`. Of these, some may not exist
  // or be no paths at all.
  ResultFile(std::string option, std::string path, std::span<const std::string> inputs);

  // Writes a new file in the same directory and renames it; writes directly to a device, a FIFO or a descriptor.
  // Throws MachineFault.
  void write(std::string_view text) const;

 private:
  bool is_stream() const;
  void replace(std::string_view text) const;
  void require_folder() const;

  std::string option_;
  std::string path_;
  std::string target_;  // path with symbolic links resolved
};

// Throws UserMistake "OPTION: 'PATH' REASON" if the path leads to a file by a symbolic link that is neither this user's
// nor root's.
void refuse_link_of_other_user(std::string_view option, const std::string& path);

}  // namespace stressbench::output
