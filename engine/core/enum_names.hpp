// Names of enumerators, taken from their declaration: `enum class Cut { worst, best };` needs no table of names.
#pragma once

#include <array>
#include <cstddef>
#include <string_view>
#include <type_traits>
#include <utility>

namespace stressbench {
namespace enum_detail {

// Without the trailing underscore of names that would be keywords; empty if no enumerator has this value.
template <class E, E value>
constexpr std::string_view declared_name() noexcept {
  constexpr std::string_view before = "value = ";
  std::string_view name = __PRETTY_FUNCTION__;  // "... [with E = ns::Cut; E value = ns::Cut::worst; ...]"
  name.remove_prefix(name.find(before) + before.size());
  name = name.substr(0, name.find_first_of(";]"));
  if (name.starts_with('(')) return {};  // "(ns::Cut)2"
  name.remove_prefix(name.rfind(':') + 1);
  if (name.ends_with('_')) name.remove_suffix(1);
  return name;
}

template <class E, std::size_t count = 0>
constexpr std::size_t count_of() noexcept {
  if constexpr (declared_name<E, static_cast<E>(count)>().empty()) {
    return count;
  } else {
    return count_of<E, count + 1>();
  }
}

template <class E, std::size_t... at>
constexpr auto values_of(std::index_sequence<at...>) noexcept {
  return std::array{std::pair{declared_name<E, static_cast<E>(at)>(), static_cast<E>(at)}...};
}

}  // namespace enum_detail

// Names of the values of an enumeration whose values count from 0. Specialise for other values, and for names that are
// not identifiers:
//   template <> struct Names<Stencil> { static constexpr std::array values{std::pair{"7"sv, Stencil::faces}, ...}; };
template <class E>
struct Names;

template <class E>
requires std::is_enum_v<E>
struct Names<E> {
  static constexpr auto values = enum_detail::values_of<E>(std::make_index_sequence<enum_detail::count_of<E>()>{});
};

template <class E>
concept Named = requires {
  Names<E>::values;
};

template <Named E>
constexpr std::string_view name_of(E wanted) noexcept {
  for (const auto& [name, value] : Names<E>::values) {
    if (value == wanted) return name;
  }
  return "?";
}

}  // namespace stressbench
