#pragma once
#include <string>
#include <vector>

#include "core/results/result_set.h"

namespace ergode {

/// What exact solvers may take when they are asked beside a simulation that nobody wants to wait for: states of a
/// Markov chain, work and memory each. Work is counted and not timed (Budget::spend()), some three seconds of it: so
/// whether there is an exact value does not hang on how busy the machine is. The clock is a safeguard far beyond.
inline constexpr std::uint64_t company_state_limit = 20000;
inline constexpr double company_operations = 9e8;
inline constexpr double company_patience_s = 60.0;
/// Of each when all solvers are asked for, and no time is given.
inline constexpr double all_operations = 1.8e10, all_patience_s = 600.0;
inline constexpr std::uint64_t company_memory = 256000000;  ///< bytes

/// Whether the results are about a mission without end, and so not comparable with those of a mission.
bool is_long_run(const ResultSet& results);

/// Whether an answer to a measure of the mission is what it tends to when the mission never ends: one long run
/// estimates that too.
/// @param of  the results that it stands in
bool is_limit(const MeasureResult& answer, const ResultSet& of);

/// A run and its company, the run first, each knowing whether it is about the long run: what reports and plots show.
/// Copies.
std::vector<ResultSet> with_company(const ResultSet& run);

/// Exact answers that the run's estimate of the measure can be compared with (comparable()): of the mission, or of the
/// long run where the measure asks for that or the run is one long one; one per solver that has one, in the order of
/// the company; they point into it.
std::vector<const MeasureResult*> exact_answers(const ResultSet& run, const CompanyResults& company,
                                                const std::string& measure);
/// What the measure tends to in the long run, the first there is, or null; points into the company.
const MeasureResult* long_run_answer(const CompanyResults& company, const std::string& measure);
/// Whether an exact value lies in the interval of an estimate (interval_holds()).
bool inside(const MeasureResult& estimate, const MeasureResult& exact);
/// Whether all do; false when there is none.
bool all_inside(const MeasureResult& estimate, const std::vector<const MeasureResult*>& exact);
/// How far the estimate is from the first exact value, in hundredths of that: "-0.52"; empty where they are not to be
/// compared, or it is 0.
std::string difference_text(const MeasureResult& estimate, const std::vector<const MeasureResult*>& exact);
/// The first reason, as a sentence.
std::string why(const Declined& declined);
/// Whether it answers other kinds of models only (SOL004), or what nothing here is (SOL001 of no element): nobody waits
/// for its answer.
bool of_another_kind(const Declined& declined);

}  // namespace ergode
