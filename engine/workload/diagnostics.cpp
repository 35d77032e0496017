#include "workload/diagnostics.hpp"

#include <algorithm>
#include <tuple>
#include <utility>

#include "core/suggest.hpp"
#include "core/utf8.hpp"
#include "workload/text.hpp"

namespace stressbench::workload {
namespace {

constexpr std::size_t longest_message = 400;
constexpr std::size_t longest_hint = 600;
constexpr std::size_t longest_name = 60;
constexpr std::size_t shown_before = 60;  // of a long line, before the offending text
constexpr std::size_t shown_line = 110;

std::string_view line_of(std::string_view text, int number) {
  std::size_t start = 0;
  for (int line = 1; line < number; ++line) {
    const std::size_t end = text.find('\n', start);
    if (end == std::string_view::npos) return {};
    start = end + 1;
  }
  std::string_view line = text.substr(start, text.find('\n', start) - start);
  if (line.ends_with('\r')) line.remove_suffix(1);
  return line;
}

// The line with the offending text underlined, cut on both sides if it is long.
std::string underlined(std::string_view line, std::size_t offset, std::size_t length) {
  offset = std::min(offset, line.size());
  std::size_t from = offset > shown_before ? offset - shown_before / 2 : 0;
  while (from > 0 && (static_cast<unsigned char>(line[from]) & 0xC0U) == 0x80U) --from;
  const std::string before = (from > 0 ? "..." : "") + printable(line.substr(from, offset - from));
  const std::string after = utf8::shortened(line.substr(offset), shown_line - std::min(shown_line, before.size()) + 20);
  const std::string marked = printable(after);
  const std::size_t shown = std::min({std::max<std::size_t>(length, 1), after.size(), line.size() - offset});
  const std::size_t width = std::max<std::size_t>(1, characters(after.substr(0, shown)));
  std::string blanks;
  for (std::size_t i = 0, n = characters(before); i < n; ++i) blanks += ' ';
  // Tabs before the offending text are repeated in the line below for alignment.
  for (std::size_t i = 0, column = 0; i < before.size(); ++i) {
    if ((static_cast<unsigned char>(before[i]) & 0xC0U) == 0x80U) continue;
    if (before[i] == '\t') blanks[column] = '\t';
    ++column;
  }
  return "  " + before + marked + "\n  " + blanks + std::string(width - 1, '~') + "^\n";
}

std::string rendered(const std::vector<Diagnostic>& diagnostics, std::size_t total) {
  std::string text;
  for (const Diagnostic& diagnostic : diagnostics) text += render(diagnostic);
  if (total > diagnostics.size()) text += "and " + std::to_string(total - diagnostics.size()) + " more mistakes\n";
  if (text.ends_with('\n')) text.pop_back();
  return text;
}

}  // namespace

std::string render(const Diagnostic& diagnostic) {
  const Position& where = diagnostic.where;
  std::string text = where.source == nullptr ? "" : printable(where.source->path) + ":";
  std::string shown;
  if (where.source != nullptr && where.line > 0) {
    const std::string_view line = line_of(where.source->text, where.line);
    const auto offset = std::min(static_cast<std::size_t>(std::max(where.column, 1) - 1), line.size());
    text += std::to_string(where.line) + ":" + std::to_string(characters(line.substr(0, offset)) + 1) + ":";
    shown = underlined(line, offset, static_cast<std::size_t>(std::max(where.length, 0)));
  }
  text += (text.empty() ? "error: " : " error: ") + printable(diagnostic.message) + "\n" + shown;
  if (!diagnostic.hint.empty()) text += "  " + printable(diagnostic.hint) + "\n";
  return text;
}

Rejected::Rejected(std::vector<Diagnostic> diagnostics, std::size_t total)
    : UserMistake(rendered(diagnostics, total)), diagnostics_(std::move(diagnostics)), total_(total) {}

void Diagnostics::add(const Position& where, std::string_view message, std::string_view hint) {
  ++total_;
  if (diagnostics_.size() >= max_kept) return;
  diagnostics_.push_back({where, utf8::shortened(message, longest_message), utf8::shortened(hint, longest_hint)});
}

void Diagnostics::throw_if_any() const {
  if (empty()) return;
  auto sorted = diagnostics_;
  std::ranges::stable_sort(sorted, {}, [](const Diagnostic& diagnostic) {
    const Position& where = diagnostic.where;
    return std::tuple(where.source == nullptr ? -1 : where.source->order, where.line, where.column);
  });
  throw Rejected(std::move(sorted), total_);
}

std::string in_quotes(std::string_view text) { return "'" + utf8::shortened(text, longest_name) + "'"; }

std::string suggestion(std::string_view wrong, const std::vector<std::string>& names) {
  if (const auto near = nearest(wrong, names)) return "did you mean '" + *near + "'?";
  std::string text;
  for (const std::string& name : names) text += (text.empty() ? "accepted: " : ", ") + name;
  return text;
}

}  // namespace stressbench::workload
