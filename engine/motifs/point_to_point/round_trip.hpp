// Base class of motifs in which pairs of ranks send a message back and forth and time the round trip.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "motifs/motif.hpp"
#include "motifs/point_to_point/pairing.hpp"

namespace stressbench {

class RoundTrip : public Motif {
 public:
  Traffic traffic(int ranks) const override {
    const std::int64_t messages = 2 * (ranks / 2);
    return {.messages = messages, .message_bytes = messages * size_->value};
  }
  std::optional<Bytes> message_size() const override { return *size_; }
  std::string size_parameter() const override { return "size"; }
  std::string quantity() const override { return "one-way latency"; }
  double quantity_scale() const override { return 0.5; }

 protected:
  // `rules`: what the size must fulfil besides fitting into a message.
  template <class... Rules>
  explicit RoundTrip(Rules... rules)
      : size_(this, 's', "size", Bytes{8}, "length of the message", rules..., FitsMessage{}) {
    timer_.preset(Timer::iteration);
  }

  Param<Bytes> size_;
  Param<Pairing> pairs_{this, "pairs", Pairing{}, "how ranks are paired", KnownPairing{}};
};

}  // namespace stressbench
