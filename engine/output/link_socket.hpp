// Link counters from a local socket, which answers the line `look` by a line of JSON (docs/records.md, "Link
// counters").
#pragma once

#include <memory>
#include <string>

#include "scheduler/links.hpp"

namespace stressbench::output {

class LinkSocket final : public scheduler::LinkCounters {
 public:
  explicit LinkSocket(std::string path);  // connects on the first `read`
  ~LinkSocket() override;
  LinkSocket(const LinkSocket&) = delete;
  LinkSocket& operator=(const LinkSocket&) = delete;

  scheduler::LinkCounts read() override;

 private:
  void connect();
  std::string receive_line();

  std::string path_;
  int socket_ = -1;
  std::string received_;
};

// The counters at the socket in STRESSBENCH_LINK_COUNTERS; null if it is not set.
std::unique_ptr<scheduler::LinkCounters> link_counters_of_environment();

}  // namespace stressbench::output
