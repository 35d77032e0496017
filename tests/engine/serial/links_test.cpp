// Link counters: differences between two readings, and reading them from a socket.
#include "scheduler/links.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <filesystem>
#include <string>
#include <thread>
#include <vector>

#include "core/error.hpp"
#include "output/link_socket.hpp"

namespace stressbench::test {
namespace {

using output::LinkSocket;
using scheduler::counter_increase;
using scheduler::LinkCount;
using scheduler::LinkCounts;
using testing::ElementsAre;
using testing::HasSubstr;

LinkCount count(std::string link, std::int64_t bytes, std::string source = "a") {
  return {std::move(link), std::move(source), "b", std::nullopt, bytes, bytes / 10, bytes / 100};
}
std::vector<std::int64_t> bytes_of(const LinkCounts& counts) {
  std::vector<std::int64_t> bytes;
  for (const LinkCount& one : counts) bytes.push_back(one.bytes);
  return bytes;
}

TEST(LinkGrowth, IsTheDifferenceOfEachDirection) {
  const LinkCounts before{count("x", 100), count("x", 5000, "b"), count("y", 300)};
  const LinkCounts grown = counter_increase(before, {count("y", 1300), count("x", 5100, "b"), count("x", 400)});
  EXPECT_THAT(bytes_of(grown), ElementsAre(1000, 100, 300));
  EXPECT_EQ(grown.front().frames, 100);
  EXPECT_EQ(grown.front().drops, 10);
}

TEST(LinkGrowth, CountsFromZeroWhatIsNewOrBeganAnew) {
  EXPECT_THAT(bytes_of(counter_increase({count("x", 100)}, {count("x", 70), count("y", 30)})), ElementsAre(70, 30));
}

// Answers each request with the next of its lines, then closes the connection.
class Server {
 public:
  explicit Server(std::vector<std::string> answers)
      : path_("links." + std::to_string(getpid())), listening_(::socket(AF_UNIX, SOCK_STREAM, 0)) {
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    path_.copy(address.sun_path, path_.size());
    ::unlink(path_.c_str());
    EXPECT_EQ(::bind(listening_, reinterpret_cast<const sockaddr*>(&address), sizeof(address)), 0);
    EXPECT_EQ(::listen(listening_, 1), 0);
    thread_ = std::thread([this, answers = std::move(answers)] { serve(answers); });
  }
  ~Server() {
    thread_.join();
    ::close(listening_);
    ::unlink(path_.c_str());
  }
  const std::string& path() const { return path_; }
  const std::string& heard() const { return heard_; }

 private:
  void serve(const std::vector<std::string>& answers) {
    const int requests = ::accept(listening_, nullptr, nullptr);
    for (const std::string& answer : answers) {
      char c = 0;
      while (c != '\n' && ::read(requests, &c, 1) == 1) heard_ += c;
      EXPECT_EQ(::write(requests, answer.data(), answer.size()), static_cast<ssize_t>(answer.size()));
    }
    ::close(requests);
  }

  std::string path_;
  int listening_;
  std::string heard_;
  std::thread thread_;
};

constexpr const char* one_link =
    R"({"links": [{"link": "s0-s1", "source": "s0", "target": "s1", "rate_bits_per_s": 100, "bytes": 7, "frames": 2, "drops": 1},)"
    R"( {"link": "s0-s1", "source": "s1", "target": "s0", "rate_bits_per_s": null, "bytes": 0, "frames": 0, "drops": 0}]})"
    "\n";

TEST(LinkSocket, AsksAndUnderstands) {
  std::string heard;
  {
    Server server({one_link, "{\"links\": []}\n"});
    LinkSocket socket(server.path());
    const LinkCounts counts = socket.read();
    ASSERT_EQ(counts.size(), 2U);
    EXPECT_EQ(counts[0].link, "s0-s1");
    EXPECT_EQ(counts[0].source, "s0");
    EXPECT_EQ(counts[0].target, "s1");
    EXPECT_EQ(counts[0].rate_bits_per_s, 100);
    EXPECT_EQ(counts[0].bytes, 7);
    EXPECT_EQ(counts[0].frames, 2);
    EXPECT_EQ(counts[0].drops, 1);
    EXPECT_EQ(counts[1].rate_bits_per_s, std::nullopt);
    EXPECT_TRUE(socket.read().empty());
    heard = server.heard();
  }
  EXPECT_EQ(heard, "look\nlook\n");
}

std::string rejection(const std::string& path) {
  LinkSocket socket(path);
  try {
    socket.read();
  } catch (const MachineFault& fault) {
    return fault.what();
  }
  return "no refusal";
}

TEST(LinkSocket, SaysWhatIsWrong) {
  EXPECT_THAT(rejection("nobody.here"), AllOf(HasSubstr("'nobody.here'"), HasSubstr("No such file")));
  EXPECT_THAT(rejection(std::string(200, 'x')), HasSubstr("too long"));
  const auto after = [](const std::string& answer) {
    Server server({answer});
    return rejection(server.path());
  };
  EXPECT_THAT(after("{\"fault\": \"the switch is on fire\"}\n"), HasSubstr("the switch is on fire"));
  EXPECT_THAT(after("what?\n"), HasSubstr("'what?' does not have the format"));
  EXPECT_THAT(after("{\"links\": [{\"link\": 3}]}\n"), HasSubstr("does not have the format"));
  EXPECT_THAT(after("half a line"), HasSubstr("the connection was closed"));
}

}  // namespace
}  // namespace stressbench::test
