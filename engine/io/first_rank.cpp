#include "io/first_rank.hpp"

#include <array>
#include <exception>

#include "core/error.hpp"

namespace stressbench::io {
namespace {

enum class Verdict { granted, mistake, fault };

Verdict verdict_of(const std::function<void()>& look, std::string& words) {
  try {
    look();
    return Verdict::granted;
  } catch (const UserMistake& mistake) {
    words = mistake.what();
    return Verdict::mistake;
  } catch (const std::exception& fault) {
    words = fault.what();
    return Verdict::fault;
  }
}

}  // namespace

void on_first_rank(const mpi::Group& group, const std::string& parameter, const std::function<void()>& look) {
  std::string words;
  Verdict verdict = group.rank() == 0 ? verdict_of(look, words) : Verdict::granted;
  std::array message{static_cast<int>(verdict), static_cast<int>(words.size())};
  mpi::check(MPI_Bcast(message.data(), 2, MPI_INT, 0, group.handle()), "MPI_Bcast");
  verdict = static_cast<Verdict>(message[0]);
  words.resize(static_cast<std::size_t>(message[1]));
  mpi::check(MPI_Bcast(words.data(), message[1], MPI_CHAR, 0, group.handle()), "MPI_Bcast");
  if (verdict == Verdict::mistake) throw ParameterMistake(parameter, words);
  if (verdict == Verdict::fault) throw MachineFault(words);
}

}  // namespace stressbench::io
