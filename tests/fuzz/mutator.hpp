// What the mutation tests share: texts that are nearly right, and a bound on the memory that reading them may take.
#pragma once

#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <fstream>
#include <random>
#include <string>
#include <utility>
#include <vector>

namespace stressbench::fuzz {

// Where the program's data stands, in bytes: /proc/self/statm's sixth number.
[[maybe_unused]] inline std::size_t
data_bytes() {  // not under the address sanitizer, which needs terabytes of address space
  std::ifstream statm("/proc/self/statm");
  std::size_t pages = 0;
  for (int i = 0; i < 6; ++i) statm >> pages;
  return pages * static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
}

// From now on the program may have `more` bytes of data beyond what it has.
inline void limit_memory(std::size_t more) {
#if !defined(__SANITIZE_ADDRESS__)
  const rlimit limit{data_bytes() + more, RLIM_INFINITY};
  if (setrlimit(RLIMIT_DATA, &limit) != 0) std::abort();
#else
  (void)more;
#endif
}

// The program may use a minute of processor time, and one more for each 10,000 inputs. One that blocks is ended by
// SIGALRM after three times as long.
inline void limit_time(std::uint64_t count) {
  const rlim_t seconds = 60 + count / 10'000 * 60;
  const rlimit limit{seconds, seconds};
  if (setrlimit(RLIMIT_CPU, &limit) != 0) std::abort();
  alarm(static_cast<unsigned>(3 * seconds));
}

// Mutates seeds; the same number makes the same texts.
class Mutator {
 public:
  Mutator(std::vector<std::string> seeds, std::vector<std::string> pieces, std::uint64_t seed)
      : seeds_(std::move(seeds)), pieces_(std::move(pieces)), draws_(seed) {}

  std::string next() {
    std::string text = pick(seeds_);
    for (std::size_t i = 0, n = below(4) + 1; i < n; ++i) mutate(text);
    return text;
  }

 private:
  std::size_t below(std::size_t bound) { return static_cast<std::size_t>(draws_() % bound); }
  const std::string& pick(const std::vector<std::string>& from) { return from[below(from.size())]; }

  void mutate(std::string& text) {
    const std::size_t at = below(text.size() + 1);
    const std::size_t length = std::min(text.size() - at, below(20));
    switch (below(7)) {
      case 0:
        text.insert(at, pick(pieces_));
        break;
      case 1:
        text.replace(at, length, pick(pieces_));
        break;
      case 2:
        text.erase(at, length);
        break;
      case 3:
        text.insert(below(text.size() + 1), text.substr(at, length));
        break;
      case 4:
        if (at < text.size()) text[at] = static_cast<char>(draws_());
        break;
      case 5:
        if (at < text.size()) text[at] = static_cast<char>(text[at] ^ (1 << below(8)));
        break;
      default:
        text.insert(at, pick(seeds_).substr(0, below(200)));
        break;
    }
  }

  std::vector<std::string> seeds_;
  std::vector<std::string> pieces_;
  std::mt19937_64 draws_;
};

}  // namespace stressbench::fuzz
