// Options that a motif refuses before anything starts, and the messages.
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "motifs/motif.hpp"

namespace stressbench {

struct Rejection {
  std::string motif;
  std::vector<std::pair<std::string, std::string>> options;
  int ranks;
  std::string parameter;
  std::string message;
  friend void PrintTo(const Rejection& r, std::ostream* out) {
    *out << r.motif << " on " << r.ranks;
    for (const auto& [option, text] : r.options) *out << ' ' << option << '=' << text;
  }
};

inline void configure_and_check(const Rejection& rejection, int ranks) {
  const auto motif = MotifCatalogue::instance().make(rejection.motif);
  ASSERT_NE(motif, nullptr);
  for (const auto& [option, text] : rejection.options) motif->find(option)->parse(text);
  motif->check(ranks);
}

inline void expect_rejection(const Rejection& rejection) {
  try {
    configure_and_check(rejection, rejection.ranks);
    ADD_FAILURE() << "was not refused";
  } catch (const ParameterMistake& mistake) {
    EXPECT_EQ(mistake.parameter(), rejection.parameter);
    EXPECT_THAT(mistake.what(), testing::HasSubstr(rejection.message));
  }
}

}  // namespace stressbench
