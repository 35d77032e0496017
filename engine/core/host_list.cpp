#include "core/host_list.hpp"

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <optional>

namespace stressbench::host_list {
namespace {

constexpr std::size_t max_digits = 18;  // of a number of 64 bits

bool is_digit(char letter) noexcept { return letter >= '0' && letter <= '9'; }

bool is_number(std::string_view text) noexcept {
  return !text.empty() && text.size() <= max_digits && std::ranges::all_of(text, is_digit);
}

std::int64_t value_of(std::string_view number) noexcept {
  std::int64_t value = 0;
  std::from_chars(number.data(), number.data() + number.size(), value);
  return value;
}

// The parts of a name around the number in which names of a bracket differ.
struct Frame {
  std::string_view prefix;
  std::string_view suffix;

  // The number of this name; none if it does not fit into the frame.
  std::optional<std::string_view> number_in(std::string_view host) const noexcept {
    if (host.size() <= prefix.size() + suffix.size() || !host.starts_with(prefix) || !host.ends_with(suffix))
      return std::nullopt;
    const std::string_view number = host.substr(prefix.size(), host.size() - prefix.size() - suffix.size());
    return is_number(number) ? std::optional(number) : std::nullopt;
  }
};

// The frame of two names that differ in one number, or not at all and contain a number.
std::optional<Frame> common_frame(std::string_view a, std::string_view b) noexcept {
  auto prefix = static_cast<std::size_t>(std::ranges::mismatch(a, b).in1 - a.begin());
  while (prefix > 0 && is_digit(a[prefix - 1])) --prefix;
  const std::size_t longest = std::min(a.size(), b.size()) - prefix;
  std::size_t suffix = 0;
  while (suffix < longest && a[a.size() - 1 - suffix] == b[b.size() - 1 - suffix]) ++suffix;
  while (suffix > 0 && is_digit(a[a.size() - suffix])) --suffix;
  const Frame frame{a.substr(0, prefix), a.substr(a.size() - suffix)};
  return frame.number_in(a) && frame.number_in(b) ? std::optional(frame) : std::nullopt;
}

// Whether a range that begins with `first` and continues with `last` may continue with `next`.
bool continues(std::string_view first, std::string_view last, std::string_view next) noexcept {
  if (value_of(next) != value_of(last) + 1) return false;
  const bool is_padded = next.size() > 1 && next.front() == '0';
  return next.size() == first.size() || (next.size() > first.size() && !is_padded);
}

// The numbers of the bracket: "0001-0512,0600".
std::string ranges_of(const Frame& frame, std::span<const std::string> hosts) {
  std::string text;
  for (std::size_t at = 0; at < hosts.size();) {
    const std::string_view first = *frame.number_in(hosts[at]);
    std::string_view last = first;
    std::size_t end = at + 1;
    for (; end < hosts.size(); ++end) {
      const std::string_view next = *frame.number_in(hosts[end]);
      if (!continues(first, last, next)) break;
      last = next;
    }
    if (!text.empty()) text += ',';
    text += first;
    if (end > at + 1) text.append("-").append(last);
    at = end;
  }
  return text;
}

}  // namespace

bool is_listable(std::string_view host) noexcept {
  return !host.empty() && std::ranges::none_of(host, [](char letter) {
    return letter == ',' || letter == '[' || letter == ']' || (letter >= 0 && letter <= ' ') || letter == '\x7f';
  });
}

std::string compress(std::span<const std::string> hosts) {
  std::string text;
  for (std::size_t at = 0; at < hosts.size();) {
    std::size_t end = at + 1;
    const std::optional<Frame> frame = end < hosts.size() ? common_frame(hosts[at], hosts[end]) : std::nullopt;
    while (frame && end < hosts.size() && frame->number_in(hosts[end])) ++end;
    if (!text.empty()) text += ',';
    if (frame) {
      text.append(frame->prefix).append("[").append(ranges_of(*frame, hosts.subspan(at, end - at)));
      text.append("]").append(frame->suffix);
    } else {
      text += hosts[at];
    }
    at = end;
  }
  return text;
}

}  // namespace stressbench::host_list
