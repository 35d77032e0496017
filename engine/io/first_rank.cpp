#include "io/first_rank.hpp"

#include <array>
#include <exception>

#include "core/error.hpp"

namespace stressbench::io {
namespace {

enum class Outcome { success, mistake, fault };

Outcome outcome_of(const std::function<void()>& action, std::string& text) {
  try {
    action();
    return Outcome::success;
  } catch (const UserMistake& mistake) {
    text = mistake.what();
    return Outcome::mistake;
  } catch (const std::exception& fault) {
    text = fault.what();
    return Outcome::fault;
  }
}

}  // namespace

void on_first_rank(const mpi::Group& group, const std::string& parameter, const std::function<void()>& action) {
  std::string text;
  Outcome outcome = group.rank() == 0 ? outcome_of(action, text) : Outcome::success;
  std::array message{static_cast<int>(outcome), static_cast<int>(text.size())};
  mpi::check(MPI_Bcast(message.data(), 2, MPI_INT, 0, group.handle()), "MPI_Bcast");
  outcome = static_cast<Outcome>(message[0]);
  text.resize(static_cast<std::size_t>(message[1]));
  mpi::check(MPI_Bcast(text.data(), message[1], MPI_CHAR, 0, group.handle()), "MPI_Bcast");
  if (outcome == Outcome::mistake) throw ParameterMistake(parameter, text);
  if (outcome == Outcome::fault) throw MachineFault(text);
}

}  // namespace stressbench::io
