// A parameter is declared once, as a member of the motif that uses it: name, short option, default, help and rules in
// one place. Parsing, checking, `--help`, `describe` and the reference page all derive from that declaration.
#pragma once

#include <cstdint>
#include <functional>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/enum_names.hpp"
#include "core/error.hpp"
#include "core/units.hpp"

namespace stressbench {

class Parameter;

// Owner of parameters. Not copyable: each parameter registers itself by address when it is constructed.
class ParameterSet {
 public:
  ParameterSet() = default;
  ParameterSet(const ParameterSet&) = delete;
  ParameterSet& operator=(const ParameterSet&) = delete;
  virtual ~ParameterSet() = default;

  // In order of declaration.
  const std::vector<Parameter*>& parameters() const noexcept { return parameters_; }
  // The parameter named `-x`, `--long` or `long`; null if there is none.
  Parameter* find(std::string_view option) const noexcept;
  // Copies all values of a set with the same declarations, such as another instance of the same motif.
  void copy_values(const ParameterSet& other);

 private:
  friend class Parameter;
  std::vector<Parameter*> parameters_;
};

class Parameter {
 public:
  Parameter(const Parameter&) = delete;
  Parameter& operator=(const Parameter&) = delete;
  virtual ~Parameter() = default;

  static constexpr char no_short_name = '\0';
  char short_name() const noexcept { return short_name_; }
  const std::string& name() const noexcept { return name_; }
  const std::string& help() const noexcept { return help_; }
  const std::string& rule() const noexcept { return rule_; }  // what is accepted, in words
  bool was_given() const noexcept { return given_; }

  virtual std::string unit() const = 0;  // kind of value: "bytes", "duration", "count", ...
  virtual std::string default_text() const = 0;
  virtual std::string text() const = 0;                    // the current value; parses back to itself
  virtual bool is_flag() const noexcept { return false; }  // takes no value

  // Throws ParameterMistake that names the value and the accepted values; the parameter then stays unchanged.
  void parse(std::string_view text);
  // Copies the value of another instance of this parameter, and whether it was given.
  void copy(const Parameter& other);

 protected:
  Parameter(ParameterSet* owner, char short_name, std::string name, std::string help);
  virtual void assign(std::string_view text) = 0;
  virtual void copy_value(const Parameter& other) = 0;
  void describe_rule(std::string words);

 private:
  char short_name_;
  std::string name_;
  std::string help_;
  std::string rule_;
  bool given_ = false;
};

// How a value of type T is read and written.
template <class T>
struct Spelling;

template <>
struct Spelling<std::int64_t> {
  static std::int64_t read(std::string_view text) { return units::count(text); }
  static std::string write(std::int64_t value) { return std::to_string(value); }
  static constexpr std::string_view unit = "count";
};
template <>
struct Spelling<Bytes> {
  static Bytes read(std::string_view text) { return units::bytes(text); }
  static std::string write(Bytes value) { return units::spell(value); }
  static constexpr std::string_view unit = "bytes";
};
template <>
struct Spelling<Nanoseconds> {
  static Nanoseconds read(std::string_view text) { return units::duration(text); }
  static std::string write(Nanoseconds value) { return units::spell(value); }
  static constexpr std::string_view unit = "duration";
};
template <>
struct Spelling<double> {
  static double read(std::string_view text) { return units::real(text); }
  static std::string write(double value) { return units::spell(value); }
  static constexpr std::string_view unit = "number";
};
template <>
struct Spelling<std::string> {
  static std::string read(std::string_view text) { return std::string(text); }
  static std::string write(const std::string& value) { return value; }
  static constexpr std::string_view unit = "text";
};

// A list, separated by commas without blanks: 8,64KiB,4MiB. No item may be empty.
template <class T>
struct Spelling<std::vector<T>> {
  static std::vector<T> read(std::string_view text) {
    std::vector<T> values;
    for (std::size_t start = 0; start <= text.size();) {
      const std::size_t comma = std::min(text.find(',', start), text.size());
      if (comma == start) throw UserMistake("an item of the list is empty");
      values.push_back(Spelling<T>::read(text.substr(start, comma - start)));
      start = comma + 1;
    }
    return values;
  }
  static std::string write(const std::vector<T>& values) {
    std::string text;
    for (const T& value : values) {
      if (!text.empty()) text += ',';
      text += Spelling<T>::write(value);
    }
    return text;
  }
  static constexpr std::string_view unit = "list";
};

// One of a fixed set of names, not case-sensitive.
namespace parameter_detail {
std::string one_of(const std::vector<std::string>& names);
[[noreturn]] void refuse_name(std::string_view text, const std::vector<std::string>& names);
bool same_name(std::string_view a, std::string_view b) noexcept;
}  // namespace parameter_detail

template <Named E>
struct Spelling<E> {
  static std::vector<std::string> names() {
    std::vector<std::string> all;
    for (const auto& [name, value] : Names<E>::values) all.emplace_back(name);
    return all;
  }
  static E read(std::string_view text) {
    for (const auto& [name, value] : Names<E>::values) {
      if (parameter_detail::same_name(name, text)) return value;
    }
    parameter_detail::refuse_name(text, names());
  }
  static std::string write(E wanted) { return std::string(name_of(wanted)); }
  static constexpr std::string_view unit = "choice";
};

// Rules that a single value must satisfy. Any type with `holds` and `words` is a rule.
// Conditions that depend on the number of ranks are checked by Pattern::check.
struct Positive {
  static constexpr std::string_view words = "greater than 0";
  static bool holds(std::int64_t v) noexcept { return v > 0; }
  static bool holds(double v) noexcept { return v > 0; }
  static bool holds(Bytes v) noexcept { return v.value > 0; }
  static bool holds(Nanoseconds v) noexcept { return v.value > 0; }
};
struct NotNegative {
  static constexpr std::string_view words = "0 or more";
  static bool holds(std::int64_t v) noexcept { return v >= 0; }
};
struct NotEmpty {
  static constexpr std::string_view words = "not empty";
  static bool holds(const std::string& v) noexcept { return !v.empty(); }
};
template <class T>
struct AtMost {
  T limit;
  std::string words = "at most " + Spelling<T>::write(limit);
  bool holds(const T& v) const { return v <= limit; }
};
template <class T>
AtMost(T) -> AtMost<T>;
AtMost(int)->AtMost<std::int64_t>;
template <class T>
struct AtLeast {
  T limit;
  std::string words = "at least " + Spelling<T>::write(limit);
  bool holds(const T& v) const { return v >= limit; }
};
template <class T>
AtLeast(T) -> AtLeast<T>;
// The largest value of an MPI count argument.
inline constexpr std::int64_t int_max = std::numeric_limits<int>::max();
// Every item of a list satisfies the rule.
template <class Rule>
struct Each {
  Rule rule;
  std::string words = "each " + std::string(rule.words);
  template <class T>
  bool holds(const std::vector<T>& values) const {
    for (const T& v : values) {
      if (!rule.holds(v)) return false;
    }
    return true;
  }
};
template <class Rule>
Each(Rule) -> Each<Rule>;

template <class T>
class Param final : public Parameter {
 public:
  template <class... Rules>
  Param(ParameterSet* owner, char short_name, std::string name, T initial, std::string help, Rules... rules)
      : Parameter(owner, short_name, std::move(name), std::move(help)), value_(initial), default_(std::move(initial)) {
    (add(std::move(rules)), ...);
    if constexpr (Named<T>) describe_rule(parameter_detail::one_of(Spelling<T>::names()));
  }
  template <class... Rules>
  Param(ParameterSet* owner, std::string name, T initial, std::string help, Rules... rules)
      : Param(owner, no_short_name, std::move(name), std::move(initial), std::move(help), std::move(rules)...) {}

  const T& operator*() const noexcept { return value_; }
  const T* operator->() const noexcept { return &value_; }

  // Sets another default, for a motif that inherits the parameter.
  void preset(T value) {
    value_ = value;
    default_ = std::move(value);
  }

  std::string unit() const override { return std::string(Spelling<T>::unit); }
  std::string default_text() const override { return Spelling<T>::write(default_); }
  std::string text() const override { return Spelling<T>::write(value_); }

 private:
  template <class Rule>
  void add(Rule rule) {
    describe_rule(std::string(rule.words));
    rules_.push_back([rule = std::move(rule)](const T& value) -> std::optional<std::string> {
      if (rule.holds(value)) return std::nullopt;
      return std::string(rule.words);
    });
  }

  void assign(std::string_view text) override {
    T value = Spelling<T>::read(text);
    for (const auto& violated : rules_) {
      if (const auto words = violated(value)) throw UserMistake("must be " + *words);
    }
    value_ = std::move(value);
  }
  void copy_value(const Parameter& other) override { value_ = dynamic_cast<const Param&>(other).value_; }

  T value_;
  T default_;
  std::vector<std::function<std::optional<std::string>(const T&)>> rules_;
};

// A flag: given or not.
template <>
class Param<bool> final : public Parameter {
 public:
  Param(ParameterSet* owner, char short_name, std::string name, std::string help)
      : Parameter(owner, short_name, std::move(name), std::move(help)) {}
  Param(ParameterSet* owner, std::string name, std::string help)
      : Param(owner, no_short_name, std::move(name), std::move(help)) {}

  bool operator*() const noexcept { return value_; }

  std::string unit() const override { return "flag"; }
  std::string default_text() const override { return "no"; }
  std::string text() const override { return value_ ? "yes" : "no"; }
  bool is_flag() const noexcept override { return true; }

 private:
  void assign(std::string_view text) override;  // "", "yes" or "no"
  void copy_value(const Parameter& other) override { value_ = dynamic_cast<const Param&>(other).value_; }
  bool value_ = false;
};

}  // namespace stressbench
