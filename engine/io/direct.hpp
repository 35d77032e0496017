// O_DIRECT: the alignment that a file system requires, and whether it has an effect there.
#pragma once

#include <cstdint>
#include <string>

namespace stressbench::io {

struct DirectAccess {
  enum class Support {
    unknown,  // the system does not report it
    refused,  // O_DIRECT is not supported
    ignored,  // accepted without effect (tmpfs)
    aligned,  // for offsets and lengths in multiples of `multiple`, and memory aligned to `memory`
  };
  Support support = Support::unknown;
  std::int64_t multiple = 1;
  std::int64_t memory = 1;
};

// The support for the file or, if it does not exist, for a new file in its directory.
DirectAccess direct_access(const std::string& path);

// Throws ParameterMistake "direct" if transfers of this size or a file of this length do not meet the alignment.
void require_alignment(const DirectAccess& access, const std::string& path, std::int64_t transfer_bytes,
                       std::int64_t file_bytes);

}  // namespace stressbench::io
