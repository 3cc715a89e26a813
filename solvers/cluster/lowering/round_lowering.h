#pragma once
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "core/des/lowering.h"

namespace ergode {

/// The way of round schedulers into the model: names, slots, streams, checks, and a part of the loop.
///
/// RND001 a name, RND002 a value out of its range, RND003 a file that is not named or cannot be read, RND011 rows of a
/// trace or of a table of throughputs, RND012 jobs that cannot be run here, RND013 a trace
/// that was given for this run with a table that was not (a warning, or, where the table beside it is taken, an info),
/// RND014 (a warning) a table with which jobs take other times than the trace lists.
std::unique_ptr<NotationLowering> round_lowering();

/// What an expression may read of a round scheduler, as NAME.WORD; empty for other kinds.
std::vector<std::string> round_slots_of_kind(std::string_view kind);
/// What it observes, as NAME.WORD.
std::vector<std::string> round_streams_of_kind(std::string_view kind);

}  // namespace ergode
