#include "telemetry/bounded_reader.hpp"

#include <signal.h>

#include <exception>
#include <system_error>
#include <thread>

#include "core/error.hpp"

namespace stressbench::telemetry {
namespace {

// While this exists, threads that start receive no signals: those of the program are for its main thread.
class SignalsBlocked {
 public:
  SignalsBlocked() {
    sigset_t all;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before_);
  }
  SignalsBlocked(const SignalsBlocked&) = delete;
  SignalsBlocked& operator=(const SignalsBlocked&) = delete;
  ~SignalsBlocked() { pthread_sigmask(SIG_SETMASK, &before_, nullptr); }

 private:
  sigset_t before_{};
};

}  // namespace

BoundedReader::BoundedReader(std::string name, std::unique_ptr<Source> source)
    : name_(std::move(name)), exchange_(std::make_shared<Exchange>()) {
  const SignalsBlocked blocked;
  try {
    std::thread([exchange = exchange_, owned = std::shared_ptr<Source>(std::move(source))] {
      serve(exchange, *owned);
    }).detach();
  } catch (const std::system_error& failure) {
    fault_ = "cannot be read in a thread: " + failure.code().message();
  }
}

BoundedReader::~BoundedReader() {
  if (!exchange_) return;
  const std::lock_guard lock{exchange_->mutex};
  exchange_->is_stopping = true;
  exchange_->changed.notify_all();
}

void BoundedReader::serve(const std::shared_ptr<Exchange>& exchange, Source& source) {
  std::unique_lock lock{exchange->mutex};
  for (;;) {
    exchange->changed.wait(lock, [&] { return exchange->is_stopping || exchange->phase == Phase::reading; });
    if (exchange->is_stopping) return;
    lock.unlock();
    Reading reading;
    std::optional<std::string> fault;
    try {
      reading = source.read();
    } catch (const std::exception& failure) {
      fault = failure.what();
    }
    lock.lock();
    exchange->reading = std::move(reading);
    exchange->fault = std::move(fault);
    exchange->phase = Phase::done;
    exchange->changed.notify_all();
  }
}

void BoundedReader::begin() {
  if (fault_) return;
  const std::lock_guard lock{exchange_->mutex};
  exchange_->phase = Phase::reading;
  exchange_->changed.notify_all();
}

std::optional<Reading> BoundedReader::finish(std::chrono::steady_clock::time_point deadline) {
  if (fault_) return std::nullopt;
  std::unique_lock lock{exchange_->mutex};
  if (!exchange_->changed.wait_until(lock, deadline, [&] { return exchange_->phase == Phase::done; })) {
    fault_ = "does not answer within the limit";
    return std::nullopt;
  }
  exchange_->phase = Phase::idle;
  if (exchange_->fault) {
    fault_ = exchange_->fault;
    return std::nullopt;
  }
  return std::move(exchange_->reading);
}

std::vector<std::optional<Reading>> read_all(std::vector<BoundedReader>& readers, std::chrono::nanoseconds limit) {
  const auto deadline = std::chrono::steady_clock::now() + limit;
  for (BoundedReader& reader : readers) reader.begin();
  std::vector<std::optional<Reading>> readings;
  for (BoundedReader& reader : readers) readings.push_back(reader.finish(deadline));
  return readings;
}

}  // namespace stressbench::telemetry
