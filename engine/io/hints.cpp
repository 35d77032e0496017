#include "io/hints.hpp"

#include <fmt/format.h>

#include <set>

#include "io/mpi_library.hpp"

namespace stressbench {

Hint Spelling<Hint>::read(std::string_view text) {
  const std::size_t equals = text.find('=');
  if (equals == std::string_view::npos || equals == 0 || equals + 1 == text.size())
    throw UserMistake("'{}' is not a hint; expected key=value", text);
  return {std::string(text.substr(0, equals)), std::string(text.substr(equals + 1))};
}

namespace io {
namespace {

std::string effect_note(const Hint& hint, const mpi::Info& effective) {
  const std::string text = Spelling<Hint>::write(hint);
  const auto value = effective.get(hint.key);
  if (!value) return fmt::format("hint {}: not used, the library does not list it", text);
  if (*value != hint.value) return fmt::format("hint {}: the library uses {}", text, *value);
  if (open_mpi) return fmt::format("hint {}: listed, but Open MPI lists every hint, used or not", text);
  return fmt::format("hint {}: taken", text);
}

}  // namespace

void check_length(const std::string& option, const Hint& hint) {
  if (hint.key.size() < MPI_MAX_INFO_KEY && hint.value.size() < MPI_MAX_INFO_VAL) return;
  reject(option, "{} is too long: this MPI allows keys of {} and values of {} characters", hint.key,
         MPI_MAX_INFO_KEY - 1, MPI_MAX_INFO_VAL - 1);
}

std::vector<Hint> Hints::requested() const {
  std::vector<Hint> all = *hints_;
  if (*stripe_count_ > 0) all.push_back({"striping_factor", std::to_string(*stripe_count_)});
  if (stripe_size_->value > 0) all.push_back({"striping_unit", std::to_string(stripe_size_->value)});
  return all;
}

void Hints::check() const {
  std::set<std::string> seen;
  for (const Hint& hint : requested()) {
    if (!seen.insert(hint.key).second) {
      reject("hint", "{} is given twice (--stripe-count and --stripe-size are striping_factor and striping_unit)",
             hint.key);
    }
    check_length("hint", hint);
  }
}

void Hints::prepare() {
  info_ = {};
  if (!any()) return;
  info_ = mpi::Info::create();
  for (const Hint& hint : requested()) info_.set(hint.key, hint.value);
}

std::vector<std::string> Hints::effective_notes(const mpi::Info& effective) const {
  std::vector<std::string> notes;
  for (const Hint& hint : requested()) notes.push_back(effect_note(hint, effective));
  std::string listed;
  for (const std::string& key : effective.keys()) {
    listed += fmt::format("{}{}={}", listed.empty() ? "" : ", ", key, effective.get(key).value_or(""));
  }
  notes.push_back("hints that the library lists: " + (listed.empty() ? "none" : listed));
  return notes;
}

}  // namespace io
}  // namespace stressbench
