#include "core/payload.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "motifs/motif.hpp"

namespace stressbench::payload {
namespace {

constexpr Origin origin{.sender = 3, .receiver = 5, .pass = 17};

std::vector<std::byte> filled(std::size_t size, const Origin& from = origin) {
  std::vector<std::byte> message(size);
  fill(message, from);
  return message;
}

TEST(Payload, IsWhatWasFilledForEveryLength) {
  for (std::size_t size = 0; size < 40; ++size) {
    const auto message = filled(size);
    EXPECT_NO_THROW(check(message, origin));
    for (std::size_t i = 0; i < size; ++i) EXPECT_EQ(message[i], expected(origin, i));
  }
}

TEST(Payload, NamesSenderReceiverOffsetAndBytesOfTheFirstThatIsWrong) {
  for (const std::size_t offset : {0u, 7u, 8u, 29u, 30u}) {
    auto message = filled(31);
    for (std::size_t i = offset; i < message.size(); ++i) message[i] ^= std::byte{1};
    EXPECT_EQ(first_wrong(message, origin), offset);
    try {
      check(message, origin);
      ADD_FAILURE() << "was not noticed";
    } catch (const WrongByte& wrong) {
      const std::string words = wrong.what();
      EXPECT_NE(words.find("rank 5 received 0x"), std::string::npos) << words;
      EXPECT_NE(words.find("from rank 3 at offset " + std::to_string(offset) + " of the message, expected 0x"),
                std::string::npos)
          << words;
    }
  }
}

TEST(Payload, DiffersInSenderReceiverAndPass) {
  const auto message = filled(64);
  EXPECT_NE(message, filled(64, {4, 5, 17}));
  EXPECT_NE(message, filled(64, {3, 6, 17}));
  EXPECT_NE(message, filled(64, {5, 3, 17}));
  EXPECT_NE(message, filled(64, {3, 5, 18}));
}

TEST(Payload, TellsOffsets) {
  // A message shifted by one byte, or by eight, is wrong in its first or second byte.
  const auto message = filled(1000);
  EXPECT_LE(first_wrong(std::span(message).subspan(1, 900), origin).value_or(900), 2u);
  EXPECT_LE(first_wrong(std::span(message).subspan(8, 900), origin).value_or(900), 2u);
}

TEST(Payload, SpoiledIsWrongInEveryByte) {
  std::vector<std::byte> message(21);
  poison(message, origin);
  for (std::size_t i = 0; i < message.size(); ++i) EXPECT_NE(message[i], expected(origin, i));
}

TEST(Payload, APieceOfAFileFollowsFromItsOffset) {
  const auto file = filled(200);
  for (std::size_t start = 0; start < 100; ++start) {
    std::vector<std::byte> piece(37);
    fill(piece, origin, start);
    EXPECT_TRUE(std::ranges::equal(piece, std::span(file).subspan(start, 37)));
    EXPECT_EQ(first_wrong(piece, origin, start), std::nullopt);
    EXPECT_LE(first_wrong(piece, origin, start + 1).value_or(37), 2u);
  }
}

TEST(Payload, NamesTheFirstWrongByteOfAPiece) {
  for (const std::size_t wrong : {0u, 2u, 3u, 10u, 11u, 36u}) {
    std::vector<std::byte> piece(37);
    fill(piece, origin, 5);
    for (std::size_t i = wrong; i < piece.size(); ++i) piece[i] ^= std::byte{1};
    EXPECT_EQ(first_wrong(piece, origin, 5), wrong);
  }
}

TEST(Payload, TellsOffsetsBeyond4GiB) {
  const std::vector<std::byte> first = filled(64);
  std::vector<std::byte> far(64);
  fill(far, origin, std::uint64_t{1} << 32);
  EXPECT_NE(first, far);
}

}  // namespace
}  // namespace stressbench::payload
