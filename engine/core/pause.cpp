#include "core/pause.hpp"

#include <sys/prctl.h>

namespace stressbench::pause {

void wake_on_time() noexcept { prctl(PR_SET_TIMERSLACK, 1UL); }

}  // namespace stressbench::pause
