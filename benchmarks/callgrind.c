/* What the program asks of valgrind: count from here; write down what has been counted.
 * Outside of valgrind these do nothing. */
#include <valgrind/callgrind.h>

void begin_count(void) {
    CALLGRIND_START_INSTRUMENTATION;
    CALLGRIND_ZERO_STATS;
}

void end_count(const char *name) {
    CALLGRIND_DUMP_STATS_AT(name);
    CALLGRIND_STOP_INSTRUMENTATION;
}
