#include "core/units.hpp"

#include <charconv>
#include <cmath>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>

#include "core/error.hpp"
#include "core/suggest.hpp"

namespace stressbench::units {
namespace {

__extension__ using Wide = __int128;  // a size times 10^18 still fits

struct Unit {
  std::string_view name;
  std::int64_t factor;
};

constexpr Unit byte_units[] = {{"B", 1},           {"kB", 1000},          {"KiB", 1LL << 10}, {"MB", 1'000'000},
                               {"MiB", 1LL << 20}, {"GB", 1'000'000'000}, {"GiB", 1LL << 30}, {"TB", 1'000'000'000'000},
                               {"TiB", 1LL << 40}};
constexpr Unit time_units[] = {{"ns", 1},
                               {"us", 1000},
                               {"ms", 1'000'000},
                               {"s", 1'000'000'000},
                               {"min", 60'000'000'000},
                               {"h", 3'600'000'000'000}};
constexpr Unit micro_sign = {"\xC2\xB5s", 1000};
constexpr Unit count_units[] = {{"k", 1000}, {"M", 1'000'000}, {"G", 1'000'000'000}};

constexpr const char* a_size = "must be a size such as 4096, 32KiB, 1.5MiB or 4MB";
constexpr const char* a_duration = "must be a duration such as 350000 (ns), 350us, 1.5ms, 30s, 10min or 2h";
constexpr const char* a_wall_duration = "must be a duration with its unit, such as 500ms, 30s, 10min or 2h";
constexpr const char* a_count = "must be a whole number such as 4000, 4k or 2M";
constexpr const char* a_real = "must be a number such as 3, 0.25 or 25%";
constexpr const char* an_integer = "must be a whole number of digits only, such as 4000";

bool is_digit(char c) { return c >= '0' && c <= '9'; }

// A decimal number without sign or exponent, and the text after it.
struct Decimal {
  Wide digits = 0;  // the number times 10^places
  int places = 0;
  std::string_view suffix;
};

std::optional<Decimal> read_decimal(std::string_view text) {
  constexpr int max_digits = 19;  // digits of the largest 64-bit number
  Decimal number;
  std::size_t at = 0;
  int used = 0;
  bool fraction = false;
  for (; at < text.size(); ++at) {
    if (text[at] == '.' && !fraction && at > 0) {
      fraction = true;
      continue;
    }
    if (!is_digit(text[at])) break;
    if (number.digits != 0 && ++used >= max_digits) return std::nullopt;
    number.digits = number.digits * 10 + (text[at] - '0');
    if (fraction && ++number.places > max_digits) return std::nullopt;
  }
  if (at == 0 || text[at - 1] == '.') return std::nullopt;
  number.suffix = text.substr(at);
  return number;
}

std::int64_t scale(const Decimal& number, std::int64_t factor, const char* accepted) {
  Wide product = number.digits * factor;
  for (int i = 0; i < number.places; ++i) {
    if (product % 10 != 0) throw UserMistake(std::string("is not a whole number in the smallest unit; ") + accepted);
    product /= 10;
  }
  if (product > std::numeric_limits<std::int64_t>::max()) throw UserMistake(std::string("is too large; ") + accepted);
  return static_cast<std::int64_t>(product);
}

const Unit* find_unit(std::string_view name, std::span<const Unit> units, bool ignore_case) {
  for (const Unit& unit : units) {
    if (name == unit.name || (ignore_case && lower_case(name) == lower_case(unit.name))) return &unit;
  }
  return nullptr;
}

std::string shortest(std::int64_t value, std::span<const Unit> units, std::string best) {
  if (value < 1) return best;
  for (const Unit& unit : units) {
    const Wide thousandths = static_cast<Wide>(value) * 1000;
    if (value < unit.factor || thousandths % unit.factor != 0) continue;
    std::string text = std::to_string(value / unit.factor);
    std::string places = std::to_string(static_cast<std::int64_t>(thousandths / unit.factor % 1000) + 1000).substr(1);
    while (!places.empty() && places.back() == '0') places.pop_back();
    text += (places.empty() ? "" : ".") + places + std::string(unit.name);
    if (text.size() <= best.size()) best = text;
  }
  return best;
}

}  // namespace

Bytes bytes(std::string_view text) {
  const auto number = read_decimal(text);
  if (!number) throw UserMistake(a_size);
  if (number->suffix.empty()) return {scale(*number, 1, a_size)};
  const Unit* unit = find_unit(number->suffix, byte_units, true);
  if (unit == nullptr) throw UserMistake(a_size);
  return {scale(*number, unit->factor, a_size)};
}

Nanoseconds duration(std::string_view text) {
  const auto number = read_decimal(text);
  if (!number) throw UserMistake(a_duration);
  if (number->suffix.empty()) return {scale(*number, 1, a_duration)};
  const Unit* unit = number->suffix == micro_sign.name ? &micro_sign : find_unit(number->suffix, time_units, false);
  if (unit == nullptr) throw UserMistake(a_duration);
  return {scale(*number, unit->factor, a_duration)};
}

Nanoseconds wall_duration(std::string_view text) {
  const auto number = read_decimal(text);
  if (!number || number->suffix.empty()) throw UserMistake(a_wall_duration);
  return duration(text);
}

std::int64_t count(std::string_view text) {
  const auto number = read_decimal(text);
  if (!number) throw UserMistake(a_count);
  if (number->suffix.empty()) return scale(*number, 1, a_count);
  const Unit* unit = find_unit(number->suffix, count_units, false);
  if (unit == nullptr) throw UserMistake(a_count);
  return scale(*number, unit->factor, a_count);
}

double real(std::string_view text) {
  const bool percent = text.ends_with('%');
  if (percent) text.remove_suffix(1);
  double value = 0;
  const char* end = text.data() + text.size();
  if (text.empty() || !is_digit(text.front())) throw UserMistake(a_real);
  const auto [stop, error] = std::from_chars(text.data(), end, value);
  if (error != std::errc{} || stop != end || !std::isfinite(value)) throw UserMistake(a_real);
  return percent ? value / 100 : value;
}

template <class Integer>
Integer integer(std::string_view text) {
  Integer value = 0;
  const char* end = text.data() + text.size();
  if (text.empty() || !is_digit(text.front())) throw UserMistake(an_integer);
  const auto [stop, error] = std::from_chars(text.data(), end, value);
  if (stop != end) throw UserMistake(an_integer);
  if (error != std::errc{}) {
    throw UserMistake("must be a whole number from 0 to {}", std::numeric_limits<Integer>::max());
  }
  return value;
}
template std::int64_t integer(std::string_view text);
template std::uint64_t integer(std::string_view text);

std::string spell(Bytes size) { return shortest(size.value, byte_units, std::to_string(size.value)); }

std::string spell(Nanoseconds time) {
  if (time.value == 0) return "0s";
  return shortest(time.value, time_units, std::to_string(time.value) + "ns");
}

std::string spell(double value) {
  char text[32];
  const auto [end, error] = std::to_chars(text, text + sizeof text, value);
  return error == std::errc{} ? std::string(text, end) : std::string("?");
}

}  // namespace stressbench::units
