#include "core/run_id.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <ctime>
#include <random>

#include "core/error.hpp"

namespace stressbench::run_id {
namespace {

bool fits(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' || c == '_';
}

}  // namespace

std::string make() {
  const std::time_t now = std::time(nullptr);
  std::tm utc{};
  gmtime_r(&now, &utc);
  std::array<char, 20> text{};
  std::strftime(text.data(), text.size(), "%Y%m%dT%H%M%SZ", &utc);
  std::random_device bits;
  return fmt::format("{}-{:06x}{:06x}", text.data(), bits() & 0xFFFFFFU, bits() & 0xFFFFFFU);
}

void check(std::string_view id) {
  if (!id.empty() && id.size() <= 64 && std::ranges::all_of(id, fits)) return;
  throw UserMistake("--run-id: '{}' must be 1 to 64 letters, digits, - and _", id);
}

}  // namespace stressbench::run_id
