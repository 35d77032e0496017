// O_DIRECT: what lengths and offsets a file system takes for it, and whether it means anything there.
#pragma once

#include <cstdint>
#include <string>

namespace stressbench::io {

struct DirectAccess {
  enum class Support {
    unknown,  // the system does not say
    refused,  // O_DIRECT cannot be had
    ignored,  // taken, and the page cache used all the same (tmpfs)
    aligned,  // where offsets and lengths are multiples of `multiple`, and memory lies on multiples of `memory`
  };
  Support support = Support::unknown;
  std::int64_t multiple = 1;
  std::int64_t memory = 1;
};

// For the file, or one that were made beside it.
DirectAccess direct_access(const std::string& path);

// Throws ParameterMistake "direct" where a file of that length cannot be moved in such transfers.
void must_fit(const DirectAccess& access, const std::string& path, std::int64_t transfer_bytes,
              std::int64_t file_bytes);

}  // namespace stressbench::io
