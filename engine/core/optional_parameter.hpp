// Parameters whose value the motif chooses unless the user does: `Param<std::optional<T>>`, empty for `auto`.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "core/parameter.hpp"

namespace stressbench {

template <class T>
struct Spelling<std::optional<T>> {
  static std::optional<T> read(std::string_view text) {
    if (parameter_detail::same_name(text, "auto")) return std::nullopt;
    return Spelling<T>::read(text);
  }
  static std::string write(const std::optional<T>& value) { return value ? Spelling<T>::write(*value) : "auto"; }
  static constexpr std::string_view unit = Spelling<T>::unit;
};

// `auto`, or a value that satisfies both rules.
template <class First, class Second>
struct AutoOr {
  First first;
  Second second;
  std::string words = "auto, or " + std::string(first.words) + ", " + std::string(second.words);
  template <class T>
  bool holds(const std::optional<T>& value) const {
    return !value || (first.holds(*value) && second.holds(*value));
  }
};
template <class First, class Second>
AutoOr(First, Second) -> AutoOr<First, Second>;

}  // namespace stressbench
