#pragma once
#include <vector>

#include "core/catalogue/choice.h"
#include "core/expression/parameters.h"
#include "solvers/cluster/model/rental_model.h"

namespace ergode {

/// A word that a property may be, with what people read for it and what it means: palette, checks and lowering have it
/// from here. The first of a list is what an absent property means.
template <typename Value>
struct RentalWord {
  const char* name;
  const char* label;
  Value value;
};

inline constexpr RentalWord<RentalModel::Policy> policy_words[] = {
    {"optimal", "fixed widths, the best for the budget", RentalModel::Policy::optimal},
    {"equal_width", "fixed widths, the same for all types", RentalModel::Policy::equal_width},
    {"one_gpu", "one GPU each", RentalModel::Policy::one_gpu},
    {"equi", "a cluster, shared evenly (EQUI)", RentalModel::Policy::equi},
    {"hesrpt", "a cluster, more for jobs with less left (heSRPT)", RentalModel::Policy::hesrpt},
    {"greedy", "a cluster, each GPU where it gains most", RentalModel::Policy::greedy}};

inline constexpr RentalWord<RentalModel::Contract> contract_words[] = {
    {"on_demand", "on demand", RentalModel::Contract::on_demand},
    {"spot", "spot: cheaper, may be taken away", RentalModel::Contract::spot},
    {"reserved", "reserved ones first, on demand beyond", RentalModel::Contract::reserved},
    {"reserved_spot", "reserved ones first, spot beyond", RentalModel::Contract::reserved_spot}};

/// Whether interruptions are counted by GPU.
inline constexpr RentalWord<bool> spot_call_words[] = {{"gpu", "of each GPU", true}, {"job", "of a job", false}};

inline constexpr RentalWord<Speedup::Family> speedup_words[] = {
    {"amdahl", "Amdahl: a part runs side by side", Speedup::Family::amdahl},
    {"power", "power of the GPUs", Speedup::Family::power},
    {"logarithmic", "logarithm of the GPUs", Speedup::Family::logarithmic},
    {"table", "as measured: a table", Speedup::Family::table}};

/// What is meant where nothing is written: forms show it, lowering takes it.
inline constexpr const char *default_job_gap = "exponential(mean = 1 h)", *default_job_size = "exponential(mean = 1 h)",
                            *default_parallel_part = "0.9", *default_speedup_exponent = "0.8",
                            *default_speedup_coefficient = "0.5", *default_budget = "4", *default_spot_wait = "0 h",
                            *default_speedup_table = "[[1, 1], [2, 1.8], [4, 3.1], [8, 4.6]]";

/// As the table of a property has them.
template <typename Value, std::size_t n>
std::vector<Choice> choices_of(const RentalWord<Value> (&words)[n]) {
  std::vector<Choice> out;
  for (const RentalWord<Value>& one : words) out.push_back({one.name, one.label});
  return out;
}

/// What the word of a property means; the first where it is empty or wrong, which is said (DOC002).
template <typename Value, std::size_t n>
Value meaning_of(PropertyReader& read, const Element& element, const char* property,
                 const RentalWord<Value> (&words)[n]) {
  const std::string word = read.choice(element, property, words[0].name, choices_of(words));
  for (const RentalWord<Value>& one : words)
    if (word == one.name) return one.value;
  return words[0].value;
}

}  // namespace ergode
