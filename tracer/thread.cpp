#include "thread.hpp"

namespace stressbench::trace {

void Thread::start(Recording& recorded) noexcept { recording = &recorded; }

void Thread::begin_window() noexcept {
  record_all_waiting();
  recording->restart();
  for (Request& request : request_states) {
    if (!request.is_persistent) continue;  // leaves memory that was never used untouched
    if (request.created == Request::Created::recorded) request.created = Request::Created::before_window;
    request.persistent.call = -1;
  }
}

int Thread::add_persistent(std::uint64_t handle) noexcept {
  for (int stale = requests.find(handle); stale >= 0; stale = requests.find(handle)) requests.release(stale);
  return requests.add(handle);
}

void Thread::record(const Key& key, std::span<const std::int64_t> lists, std::int64_t gap_ns,
                    std::int64_t time_ns) noexcept {
  const std::int32_t call = recording->intern(key, lists);
  if (call < 0) return;
  if (head_ == tail_) {
    recording->record(call, gap_ns, time_ns);
  } else {
    push(call, -1, gap_ns, time_ns);
  }
}

int Thread::record_unknown_sender(const Key& key, std::int64_t gap_ns, std::int64_t time_ns) noexcept {
  for (int probe = 0; probe < max_unknown_senders; ++probe) {
    const int k = (next_unknown_ + probe) % max_unknown_senders;
    if (unknown_[k].in_use) continue;
    next_unknown_ = (k + 1) % max_unknown_senders;
    unknown_[k] = {key, 0, true};
    ++unknown_count_;
    push(-1, k, gap_ns, time_ns);
    return k;
  }
  record(key, {}, gap_ns, time_ns);
  return -1;
}

void Thread::push(std::int32_t call, std::int32_t unknown, std::int64_t gap_ns, std::int64_t time_ns) noexcept {
  if (tail_ - head_ == max_waiting_calls) {
    give_up_first_sender();
    flush();
  }
  if (unknown >= 0) unknown_[unknown].position = tail_;
  waiting_[tail_ % max_waiting_calls] = {call, unknown, gap_ns, time_ns};
  ++tail_;
}

void Thread::resolve(int unknown, int source, int tag) noexcept {
  Unknown& found = unknown_[unknown];
  if (!found.in_use) return;
  found.in_use = false;
  --unknown_count_;
  found.key.peer = source;
  found.key.tag = tag;
  waiting_[found.position % max_waiting_calls].call = recording->intern(found.key, {});
  waiting_[found.position % max_waiting_calls].unknown = -1;
  flush();
}

void Thread::flush() noexcept {
  for (; head_ != tail_; ++head_) {
    const Waiting& first = waiting_[head_ % max_waiting_calls];
    if (first.unknown >= 0) return;
    if (first.call >= 0) recording->record(first.call, first.gap_ns, first.time_ns);
  }
}

void Thread::give_up_first_sender() noexcept {
  Waiting& first = waiting_[head_ % max_waiting_calls];
  if (first.unknown < 0) return;
  unknown_[first.unknown].in_use = false;
  --unknown_count_;
  first.call = recording->intern(unknown_[first.unknown].key, {});
  first.unknown = -1;
  if (!recording->lost_sender.happened) recording->lost_sender = {recording->total_calls(), 1};
}

void Thread::record_all_waiting() noexcept {
  while (head_ != tail_) {
    give_up_first_sender();
    flush();
  }
}

}  // namespace stressbench::trace
