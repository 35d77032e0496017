#include "trace/line.hpp"

#include <fmt/format.h>

#include <boost/crc.hpp>
#include <utility>

#include "core/error.hpp"
#include "core/input_limits.hpp"

namespace stressbench::trace {
namespace {

constexpr std::string_view key = ",\"crc32\":";

// What follows the key in the line that begins with these bytes.
std::string value_after(std::string_view bytes) { return fmt::format("\"{:08x}\"}}", checksum(bytes)); }

}  // namespace

void Position::refuse(std::string_view what) const {
  throw UserMistake(line == 0 ? fmt::format("'{}': {}", file, what)
                              : fmt::format("'{}', line {}: {}", file, line, what));
}

std::uint32_t checksum(std::string_view bytes) {
  boost::crc_32_type crc;
  crc.process_bytes(bytes.data(), bytes.size());
  return crc.checksum();
}

std::string with_checksum(std::string object) {
  object.pop_back();
  return fmt::format("{}{}{}\n", object, key, value_after(object));
}

void verify(const Position& position, std::string_view line) {
  const std::size_t at = line.rfind(key);
  if (at == std::string_view::npos) {
    position.refuse("does not end with a checksum (key crc32): the line is incomplete");
  }
  std::string_view recorded = line.substr(at + key.size());
  while (recorded.starts_with(' ')) recorded.remove_prefix(1);
  const std::string computed = value_after(line.substr(0, at));
  if (recorded != computed) {
    position.refuse(fmt::format("its checksum is {}, but its contents give {}; the file is damaged: capture it again",
                                recorded.substr(0, 10), computed.substr(0, 10)));
  }
}

Lines::Lines(const std::string& path) : file_(path, input_limits::max_trace_file_bytes), position_{path, 0} {}

std::optional<std::string> Lines::next() {
  auto line = file_.next_line();
  if (!line) return std::nullopt;
  ++position_.line;
  if (!line->complete) position_.refuse("is truncated; a trace file ends with its 'end' line");
  return std::move(line->text);
}

}  // namespace stressbench::trace
