#include "motifs/point_to_point/team.hpp"

#include <utility>

namespace stressbench {

Team::Team(int members, std::function<void(int)> work)
    : work_(std::move(work)), faults_(static_cast<std::size_t>(members)) {
  for (int member = 1; member < members; ++member) {
    threads_.emplace_back([this, member] { serve(member); });
  }
}

Team::~Team() {
  over_ = true;
  ++turn_;
  turn_.notify_all();
}

void Team::run() {
  busy_ = static_cast<int>(threads_.size());
  ++turn_;
  turn_.notify_all();
  work_(0);
  for (int busy = busy_; busy > 0; busy = busy_) busy_.wait(busy);
  for (std::exception_ptr& fault : faults_) {
    if (fault) std::rethrow_exception(std::exchange(fault, nullptr));
  }
}

void Team::serve(int member) {
  for (int seen = 0;; ++seen) {
    turn_.wait(seen);
    if (over_) return;
    try {
      work_(member);
    } catch (...) {
      faults_[static_cast<std::size_t>(member)] = std::current_exception();
    }
    if (--busy_ == 0) busy_.notify_one();
  }
}

}  // namespace stressbench
