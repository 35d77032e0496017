// What the kernel knows of this process: lists of processors, and the bytes that its TCP connections received.
#include "telemetry/own_process.hpp"

#include <arpa/inet.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <vector>

namespace stressbench::telemetry {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

TEST(Processors, AreThoseOfAListOfTheKernel) {
  EXPECT_THAT(processors_in("0-2,8\n"), ElementsAre(0, 1, 2, 8));
  EXPECT_THAT(processors_in("5"), ElementsAre(5));
  EXPECT_THAT(processors_in(""), IsEmpty());
  EXPECT_THAT(processors_in("0-x"), IsEmpty());
  EXPECT_THAT(processors_in("-1"), IsEmpty());
  EXPECT_THAT(processors_in("0,99999999999"), IsEmpty());
  EXPECT_THAT(processors_in("0-65535,0-65535"), IsEmpty());
}

TEST(Processors, ThatThisProcessUsesAreAmongThoseThatItMayUse) {
  const auto usable = usable_processors(FileTree("/"));
  EXPECT_FALSE(bound_processors().empty());
  for (const int number : bound_processors()) EXPECT_THAT(usable, testing::Contains(number));
}

TEST(TcpBytes, AreThoseThatAConnectionOfThisProcessReceived) {
  const int listener = ::socket(AF_INET, SOCK_STREAM, 0);
  const int sender = ::socket(AF_INET, SOCK_STREAM, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t length = sizeof(address);
  ASSERT_EQ(::bind(listener, reinterpret_cast<sockaddr*>(&address), length), 0);
  ASSERT_EQ(::listen(listener, 1), 0);
  ASSERT_EQ(::getsockname(listener, reinterpret_cast<sockaddr*>(&address), &length), 0);
  ASSERT_EQ(::connect(sender, reinterpret_cast<sockaddr*>(&address), length), 0);
  const int receiver = ::accept(listener, nullptr, nullptr);
  const std::uint64_t before = tcp_bytes_received()["lo"];
  std::vector<char> bytes(5000);
  ASSERT_EQ(::send(sender, bytes.data(), bytes.size(), 0), static_cast<ssize_t>(bytes.size()));
  ASSERT_EQ(::recv(receiver, bytes.data(), bytes.size(), MSG_WAITALL), static_cast<ssize_t>(bytes.size()));
  EXPECT_EQ(tcp_bytes_received()["lo"] - before, bytes.size());
  for (const int descriptor : {listener, sender, receiver}) ::close(descriptor);
}

}  // namespace
}  // namespace stressbench::telemetry
