// nfs: what each NFS mount transferred, and how long its requests waited (/proc/self/mountstats; nfsstat(8),
// mountstats(8)).
#include <algorithm>

#include "telemetry/source.hpp"

namespace stressbench::telemetry {
namespace {

constexpr std::uint64_t ns_per_ms = 1'000'000;

// Sums over the requests of a mount.
struct Mount {
  std::string directory;
  std::uint64_t read = 0;
  std::uint64_t written = 0;
  std::uint64_t requests = 0;
  std::uint64_t transmissions = 0;
  std::uint64_t timeouts = 0;
  std::uint64_t queue_ms = 0;
  std::uint64_t response_ms = 0;
  bool has_requests = false;
};

std::uint64_t number_at(const std::vector<std::string_view>& words, std::size_t place) {
  return place < words.size() ? leading_number(words[place]).value_or(0) : 0;
}

// Mounts on the same directory, of which only the last is visible, count as one.
void append_mount(Reading& reading, const Mount& mount) {
  if (!mount.has_requests) return;
  const auto add = [&](const char* name, CounterUnit unit, std::uint64_t total) {
    const auto same = std::ranges::find_if(
        reading, [&](const Counter& counter) { return counter.name == name && counter.device == mount.directory; });
    if (same == reading.end()) {
      reading.push_back({name, mount.directory, unit, total});
    } else {
      same->total += total;
    }
  };
  add("read_bytes", CounterUnit::bytes, mount.read);
  add("written_bytes", CounterUnit::bytes, mount.written);
  add("requests", CounterUnit::events, mount.requests);
  add("retransmissions", CounterUnit::events,
      mount.transmissions > mount.requests ? mount.transmissions - mount.requests : 0);
  add("timeouts", CounterUnit::events, mount.timeouts);
  add("queue_time", CounterUnit::ns, mount.queue_ms * ns_per_ms);
  add("response_time", CounterUnit::ns, mount.response_ms * ns_per_ms);
}

class Nfs final : public Source {
 public:
  explicit Nfs(const FileTree& tree) : tree_(tree) {}

  // "device HOST:/EXPORT mounted on DIRECTORY with fstype nfs4 ..." begins a mount. Line "bytes:" has the bytes read
  // from and written to the server as its 5th and 6th number, and "READ: OPS TRANSMISSIONS TIMEOUTS SENT RECEIVED
  // QUEUE_MS RESPONSE_MS EXECUTION_MS" follows for each operation.
  Reading read() override {
    Reading reading;
    Mount mount;
    const std::string text = tree_.text("proc/self/mountstats").value_or("");
    bool in_nfs = false;
    bool in_operations = false;
    for (const std::string_view line : lines_of(text)) {
      const auto words = words_of(line);
      if (words.size() >= 8 && words[0] == "device") {
        append_mount(reading, mount);
        mount = Mount{.directory = std::string(words[4])};
        in_nfs = words[7].starts_with("nfs");
        in_operations = false;
      } else if (in_nfs && !words.empty()) {
        if (words[0] == "bytes:") {
          mount.read = number_at(words, 5);
          mount.written = number_at(words, 6);
        } else if (words[0] == "per-op") {
          in_operations = true;
          mount.has_requests = true;
        } else if (in_operations && words[0].ends_with(':')) {
          mount.requests += number_at(words, 1);
          mount.transmissions += number_at(words, 2);
          mount.timeouts += number_at(words, 3);
          mount.queue_ms += number_at(words, 6);
          mount.response_ms += number_at(words, 7);
        }
      }
    }
    append_mount(reading, mount);
    return reading;
  }

 private:
  FileTree tree_;
};

const RegisterSource<Nfs> registered{"nfs", "bytes, requests, retransmissions and waiting of NFS clients",
                                     "/proc/self/mountstats"};

}  // namespace
}  // namespace stressbench::telemetry
