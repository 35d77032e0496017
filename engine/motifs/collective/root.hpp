// The root of a rooted collective: a fixed rank, or each rank in turn, so that consecutive calls use different trees.
#pragma once

#include <string>
#include <string_view>

#include "core/parameter.hpp"

namespace stressbench {

struct RootChoice {
  int rank = 0;
  bool rotates = false;
};
template <>
struct Spelling<RootChoice> {
  static RootChoice read(std::string_view text);  // "3", "rotate"
  static std::string write(RootChoice choice);
  static constexpr std::string_view unit = "rank";
};

class Root {
 public:
  explicit Root(ParameterSet* owner);

  bool rotates() const noexcept { return choice_->rotates; }
  // The root if it does not rotate.
  int fixed() const noexcept { return choice_->rank; }
  bool can_be(int rank) const noexcept { return rotates() || rank == fixed(); }
  void check(int ranks) const;
  // Throws ParameterMistake if the root rotates: the calls of one iteration are then not those of the next.
  int same_in_each_call() const;

  void decompose(int rank, int ranks) noexcept;
  // `take_next` advances to the root of the next call and returns it. `select_next` advances early, while the messages
  // of that call are being filled; the following `take_next` then returns the same root.
  void select_next() noexcept {
    if (!next_selected_) advance();
    next_selected_ = true;
  }
  int take_next() noexcept {
    if (!next_selected_) advance();
    next_selected_ = false;
    return current_;
  }
  int current() const noexcept { return current_; }
  bool is_this_rank() const noexcept { return current_ == rank_; }

 private:
  void advance() noexcept {
    if (rotates()) current_ = current_ + 1 < ranks_ ? current_ + 1 : 0;
  }

  Param<RootChoice> choice_;
  int rank_ = 0;
  int ranks_ = 1;
  int current_ = 0;
  bool next_selected_ = false;
};

}  // namespace stressbench
