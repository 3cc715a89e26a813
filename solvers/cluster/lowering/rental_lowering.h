#pragma once
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "core/des/lowering.h"

namespace ergode {

/// The notation's way into the model: names, slots, streams of observations, checks, widths, and a part of the loop.
///
/// RNT001 a name, RNT002 a value out of its range, RNT003 jobs that come to no rental or to several, RNT004 no speedup,
/// RNT005 a budget below the work that comes, RNT006 a flow between what it may not join, RNT007 (warning) a cluster
/// that is too small, or one GPU each beyond the budget, RNT008 a rate that is not known before or flows, RNT009
/// (warning) a rental to which no jobs come, RNT010 a contract that a shared cluster cannot have,
/// RNT011 (warning) jobs of fixed widths whose restarts pile up, RNT020 (info) a speedup fitted to measurements,
/// RNT021 (warning) a parameter that should name these and names none (drawn_speedup.h). RNT022 (warning) measures of
/// the long run on a stream that ends (drawn_count.h), RNT023 (warning) a contract that reserves nothing, RNT024
/// (warning) parts of GPUs or hosts (drawn_law.h).
std::unique_ptr<NotationLowering> rental_lowering();

/// What an expression may read of a node of this kind, as NAME.WORD: "jobs", "gpus", ... Empty: nothing.
std::vector<std::string> rental_slots_of_kind(std::string_view kind);
/// What it observes, as NAME.WORD: "response_time".
std::vector<std::string> rental_streams_of_kind(std::string_view kind);
/// Why no flow of jobs leads from a node of one kind to one of another: a sentence for people; empty: it may.
std::string why_no_job_flow(std::string_view from, std::string_view to);

}  // namespace ergode
