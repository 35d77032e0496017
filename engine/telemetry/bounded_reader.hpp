// Reads a source in a thread of its own, so that one that hangs, in a driver or in a command, costs no more than a time
// limit: it is left behind and not read again.
#pragma once

#include <chrono>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <optional>
#include <string>

#include "telemetry/source.hpp"

namespace stressbench::telemetry {

class BoundedReader {
 public:
  BoundedReader(std::string name, std::unique_ptr<Source> source);
  BoundedReader(BoundedReader&&) noexcept = default;
  BoundedReader& operator=(BoundedReader&&) = delete;
  BoundedReader(const BoundedReader&) = delete;
  BoundedReader& operator=(const BoundedReader&) = delete;
  ~BoundedReader();  // waits for no reading

  const std::string& name() const noexcept { return name_; }
  // Begins a reading, unless the source has failed.
  void begin();
  // The reading, or none if the source has failed or does not deliver it until `deadline`.
  std::optional<Reading> finish(std::chrono::steady_clock::time_point deadline);
  // Why the source is not read any more; none while it works.
  const std::optional<std::string>& fault() const noexcept { return fault_; }

 private:
  enum class Phase { idle, reading, done };
  // Shared with the thread, which may outlive this object.
  struct Exchange {
    std::mutex mutex;
    std::condition_variable changed;
    Phase phase = Phase::idle;
    bool is_stopping = false;
    Reading reading;
    std::optional<std::string> fault;
  };
  static void serve(const std::shared_ptr<Exchange>& exchange, Source& source);

  std::string name_;
  std::shared_ptr<Exchange> exchange_;
  std::optional<std::string> fault_;
};

// Reads all sources at the same time, for `limit` at most. The readings of failed ones are none.
std::vector<std::optional<Reading>> read_all(std::vector<BoundedReader>& readers, std::chrono::nanoseconds limit);

}  // namespace stressbench::telemetry
