#include "core/pause.hpp"

#include <sys/prctl.h>

namespace stressbench::pause {

void minimise_timer_slack() noexcept { prctl(PR_SET_TIMERSLACK, 1UL); }

}  // namespace stressbench::pause
