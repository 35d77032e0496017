#include "motifs/point_to_point/team.hpp"

#include <utility>

namespace stressbench {

Team::Team(int members, std::function<void(int)> work)
    : work_(std::move(work)), exceptions_(static_cast<std::size_t>(members)) {
  for (int member = 1; member < members; ++member) {
    threads_.emplace_back([this, member] { worker_loop(member); });
  }
}

Team::~Team() {
  stopping_ = true;
  ++generation_;
  generation_.notify_all();
}

void Team::run() {
  active_ = static_cast<int>(threads_.size());
  ++generation_;
  generation_.notify_all();
  work_(0);
  for (int active = active_; active > 0; active = active_) active_.wait(active);
  for (std::exception_ptr& exception : exceptions_) {
    if (exception) std::rethrow_exception(std::exchange(exception, nullptr));
  }
}

void Team::worker_loop(int member) {
  for (int finished_generation = 0;; ++finished_generation) {
    generation_.wait(finished_generation);
    if (stopping_) return;
    try {
      work_(member);
    } catch (...) {
      exceptions_[static_cast<std::size_t>(member)] = std::current_exception();
    }
    if (--active_ == 0) active_.notify_one();
  }
}

}  // namespace stressbench
