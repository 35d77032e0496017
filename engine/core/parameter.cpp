#include "core/parameter.hpp"

#include "core/suggest.hpp"
#include "core/utf8.hpp"

namespace stressbench {

Parameter* ParameterSet::find(std::string_view option) const noexcept {
  const bool is_short = option.size() == 2 && option[0] == '-' && option[1] != '-';
  if (option.starts_with("--")) option.remove_prefix(2);
  for (Parameter* parameter : parameters_) {
    if (is_short ? parameter->short_name() == option[1] : parameter->name() == option) return parameter;
  }
  return nullptr;
}

void ParameterSet::copy_values(const ParameterSet& other) {
  for (std::size_t i = 0; i < parameters_.size(); ++i) parameters_[i]->copy(*other.parameters_[i]);
}

Parameter::Parameter(ParameterSet* owner, char short_name, std::string name, std::string help)
    : short_name_(short_name), name_(std::move(name)), help_(std::move(help)) {
  owner->parameters_.push_back(this);
}

void Parameter::describe_rule(std::string words) { rule_ += (rule_.empty() ? "" : ", ") + std::move(words); }

void Parameter::parse(std::string_view text) {
  try {
    assign(text);
    given_ = true;
  } catch (const UserMistake& mistake) {
    constexpr std::size_t shown = 80;
    throw ParameterMistake(name_, "--" + name_ + ": '" + utf8::shortened(text, shown) + "': " + mistake.what());
  }
}

void Parameter::copy(const Parameter& other) {
  copy_value(other);
  given_ = other.given_;
}

void Param<bool>::assign(std::string_view text) {
  if (text.empty() || parameter_detail::same_name(text, "yes")) {
    value_ = true;
  } else if (parameter_detail::same_name(text, "no")) {
    value_ = false;
  } else {
    throw UserMistake("is a flag and takes no value");
  }
}

namespace parameter_detail {

std::string one_of(const std::vector<std::string>& names) {
  std::string words = "one of ";
  for (std::size_t i = 0; i < names.size(); ++i) words += (i ? ", " : "") + names[i];
  return words;
}

void refuse_name(std::string_view text, const std::vector<std::string>& names) {
  const auto guess = nearest(text, names);
  throw UserMistake("must be " + one_of(names) + (guess ? "; did you mean '" + *guess + "'?" : ""));
}

bool same_name(std::string_view a, std::string_view b) noexcept {
  if (a.size() != b.size()) return false;
  for (std::size_t i = 0; i < a.size(); ++i) {
    const auto lower = [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; };
    if (lower(a[i]) != lower(b[i])) return false;
  }
  return true;
}

}  // namespace parameter_detail
}  // namespace stressbench
