// allreduce: a reduction whose result every rank gets (StressBench III-A; docs/motifs/allreduce.md).
#include <fmt/format.h>
#include <mpi.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <limits>

#include "motifs/message.hpp"
#include "motifs/motif.hpp"

namespace stressbench {

enum class Reduction { sum, min, max, prod };
template <>
struct Names<Reduction> {
  static constexpr std::array values{
      std::pair{std::string_view{"sum"}, Reduction::sum}, std::pair{std::string_view{"min"}, Reduction::min},
      std::pair{std::string_view{"max"}, Reduction::max}, std::pair{std::string_view{"prod"}, Reduction::prod}};
};

enum class Element { double_, float_, long_, int_, short_, char_ };
template <>
struct Names<Element> {
  static constexpr std::array values{
      std::pair{std::string_view{"double"}, Element::double_}, std::pair{std::string_view{"float"}, Element::float_},
      std::pair{std::string_view{"long"}, Element::long_},     std::pair{std::string_view{"int"}, Element::int_},
      std::pair{std::string_view{"short"}, Element::short_},   std::pair{std::string_view{"char"}, Element::char_}};
};

namespace {

// Elements of a type, seen from outside as whole numbers.
struct ElementType {
  std::int64_t size;
  MPI_Datatype (*handle)();
  void (*write)(std::byte* element, std::int64_t value);
  double (*read)(const std::byte* element);
  double (*as_stored)(std::int64_t value);  // wraps around where the type is too narrow, as the sum itself does
};

template <class T, MPI_Datatype (*Handle)()>
constexpr ElementType element_type() {
  return {sizeof(T), Handle,
          [](std::byte* element, std::int64_t value) {
            const T stored = static_cast<T>(value);
            std::memcpy(element, &stored, sizeof stored);
          },
          [](const std::byte* element) {
            T stored;
            std::memcpy(&stored, element, sizeof stored);
            return static_cast<double>(stored);
          },
          [](std::int64_t value) { return static_cast<double>(static_cast<T>(value)); }};
}

MPI_Datatype of_double() { return MPI_DOUBLE; }
MPI_Datatype of_float() { return MPI_FLOAT; }
MPI_Datatype of_long() { return MPI_LONG; }
MPI_Datatype of_int() { return MPI_INT; }
MPI_Datatype of_short() { return MPI_SHORT; }
MPI_Datatype of_char() { return MPI_SIGNED_CHAR; }  // MPI_CHAR is text: no arithmetic

const ElementType& type_of(Element element) {
  static constexpr std::array types{element_type<double, of_double>(), element_type<float, of_float>(),
                                    element_type<long, of_long>(),     element_type<int, of_int>(),
                                    element_type<short, of_short>(),   element_type<signed char, of_char>()};
  return types[static_cast<std::size_t>(element)];
}

MPI_Op operation_of(Reduction reduction) {
  const std::array operations{MPI_SUM, MPI_MIN, MPI_MAX, MPI_PROD};
  return operations[static_cast<std::size_t>(reduction)];
}

// What rank r puts into element k, in small whole numbers that every type holds exactly. Depends on r and k + pass only
// through (r + k + pass) mod 3 and on a base common to all ranks, so that a result is known without asking each rank.
std::int64_t phase_of(std::size_t element, std::uint64_t pass) {
  return static_cast<std::int64_t>((element + pass) % 3);
}
std::int64_t base_of(std::size_t element, std::uint64_t pass) {
  return static_cast<std::int64_t>((7 * element + pass) % 16);
}
std::int64_t contribution(Reduction reduction, std::int64_t rank, std::size_t element, std::uint64_t pass) {
  const std::int64_t turn = (rank + phase_of(element, pass)) % 3;
  if (reduction == Reduction::prod) return turn == 0 ? -1 : 1;
  return base_of(element, pass) + turn;
}
std::int64_t result(Reduction reduction, std::int64_t ranks, std::size_t element, std::uint64_t pass) {
  const auto own = [&](std::int64_t rank) { return contribution(reduction, rank, element, pass); };
  const auto had_by = [&](std::int64_t rank) {
    return (ranks - rank + 2) / 3;
  };  // ranks that have the same as ranks 0, 1, 2
  const std::int64_t different = std::min<std::int64_t>(ranks, 3);
  std::int64_t value = own(0);
  switch (reduction) {
    case Reduction::sum:
      value = 0;
      for (std::int64_t r = 0; r < different; ++r) value += own(r) * had_by(r);
      break;
    case Reduction::min:
      for (std::int64_t r = 1; r < different; ++r) value = std::min(value, own(r));
      break;
    case Reduction::max:
      for (std::int64_t r = 1; r < different; ++r) value = std::max(value, own(r));
      break;
    case Reduction::prod:
      value = 1;
      for (std::int64_t r = 0; r < different; ++r) value *= had_by(r) % 2 == 0 ? 1 : own(r);
      break;
  }
  return value;
}

class Allreduce final : public Motif {
 public:
  Traffic traffic(int ranks) const override { return {.collectives = 1, .collective_bytes = ranks * bytes()}; }
  std::optional<Bytes> message_size() const override { return Bytes{bytes()}; }
  std::string size_parameter() const override { return "count"; }
  std::string size_text(Bytes size) const override {
    const std::int64_t element = type_of(*type_).size;
    if (size.value % element != 0) {
      throw UserMistake(
          fmt::format("size: {} is no whole number of {}s of {} bytes", units::spell(size), type_.text(), element));
    }
    return std::to_string(size.value / element);
  }
  std::optional<Bandwidth> bandwidth(int) const override {
    return Bandwidth{static_cast<double>(bytes()), "bytes of one rank's vector / time of the call"};
  }

  void decompose(const mpi::Group& group, const Draw&) override {
    communicator_ = group.handle();
    rank_ = group.rank();
    ranks_ = group.size();
    count_ = static_cast<int>(*count_given_);
    datatype_ = type_of(*type_).handle();
    operation_ = operation_of(*reduction_);
    own_ = *in_place_ ? Buffer() : Buffer(Bytes{bytes()});
    result_ = Buffer(Bytes{bytes()});
    fill_with_ones(*in_place_ ? result_ : own_);
    from_ = *in_place_ ? MPI_IN_PLACE : own_.data();
    to_ = result_.data();
  }

  void perform(Recorder&) override {
    mpi::must(MPI_Allreduce(from_, to_, count_, datatype_, operation_, communicator_), "MPI_Allreduce");
  }

  void stamp(std::uint64_t pass) override {
    const ElementType& type = type_of(*type_);
    const Buffer& contributed = *in_place_ ? result_ : own_;
    for (std::size_t k = 0; k < elements(); ++k) {
      // Spoiled with a number that is no result of these contributions.
      if (!*in_place_) type.write(result_.data() + offset(k), result(*reduction_, ranks_, k, pass) - 5);
      type.write(contributed.data() + offset(k), contribution(*reduction_, rank_, k, pass));
    }
  }

  void verify(std::uint64_t pass) const override {
    const ElementType& type = type_of(*type_);
    for (std::size_t k = 0; k < elements(); ++k) {
      const double expected = type.as_stored(result(*reduction_, ranks_, k, pass));
      const double found = type.read(result_.data() + offset(k));
      if (found == expected) continue;
      throw MachineFault(
          fmt::format("wrong element: rank {} got {} from MPI_Allreduce as element {} (offset {}), expected {}", rank_,
                      found, k, offset(k), expected));
    }
  }

 private:
  std::int64_t bytes() const { return *count_given_ * type_of(*type_).size; }
  std::size_t elements() const { return static_cast<std::size_t>(*count_given_); }
  // Ones: no reduction of them leaves the normal numbers, whose arithmetic takes its usual time.
  void fill_with_ones(const Buffer& vector) const {
    const ElementType& type = type_of(*type_);
    for (std::size_t k = 0; k < elements(); ++k) type.write(vector.data() + offset(k), 1);
  }
  std::size_t offset(std::size_t element) const { return element * static_cast<std::size_t>(type_of(*type_).size); }

  Param<std::int64_t> count_given_{
      this, 'c', "count", 1, "elements of each rank's vector", AtMost<std::int64_t>{std::numeric_limits<int>::max()}};
  Param<Element> type_{this, '\0', "type", Element::double_, "type of an element; char is a signed 8-bit number"};
  Param<Reduction> reduction_{this, '\0', "op", Reduction::sum, "how elements are combined"};
  Param<bool> in_place_{this, '\0', "in-place", "the result replaces what was given (MPI_IN_PLACE)"};

  MPI_Comm communicator_ = MPI_COMM_NULL;
  const void* from_ = nullptr;
  void* to_ = nullptr;
  int count_ = 0;
  MPI_Datatype datatype_ = MPI_DATATYPE_NULL;
  MPI_Op operation_ = MPI_OP_NULL;
  int rank_ = 0;
  int ranks_ = 0;
  Buffer own_;
  Buffer result_;
};

const RegisterMotif<Allreduce> registered{"allreduce", Family::collective, "a reduction whose result every rank gets",
                                          "StressBench III-A"};

}  // namespace
}  // namespace stressbench
