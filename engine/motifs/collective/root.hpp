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
  bool may_be(int rank) const noexcept { return rotates() || rank == fixed(); }
  void check(int ranks) const;

  void decompose(int rank, int ranks) noexcept;
  // `take` advances to the root of the next call and returns it. `hold` advances early, while the messages of that call
  // are being filled; the next `take` then returns the same root.
  void hold() noexcept {
    if (!held_) move();
    held_ = true;
  }
  int take() noexcept {
    if (!held_) move();
    held_ = false;
    return now_;
  }
  int now() const noexcept { return now_; }
  bool here() const noexcept { return now_ == rank_; }

 private:
  void move() noexcept {
    if (rotates()) now_ = now_ + 1 < ranks_ ? now_ + 1 : 0;
  }

  Param<RootChoice> choice_;
  int rank_ = 0;
  int ranks_ = 1;
  int now_ = 0;
  bool held_ = false;
};

}  // namespace stressbench
