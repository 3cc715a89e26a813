#pragma once
#include <string>
#include <vector>

#include "core/catalogue/choice.h"
#include "core/des/handover.h"
#include "core/expression/parameters.h"
#include "solvers/queueing/model/network_model.h"

namespace ergode {

/// A word that a property may be, with what people read for it and what it means: palette, checks and lowering have it
/// from here. The first of a list is what an absent property means.
template <typename Value>
struct Word {
  const char* name;
  const char* label;
  Value value;
};

inline constexpr Word<NetworkModel::Discipline> discipline_words[] = {
    {"fcfs", "first come, first served", NetworkModel::Discipline::fcfs},
    {"lcfs", "last come, first served", NetworkModel::Discipline::lcfs},
    {"lcfs_pr", "last come, first served, preemptive", NetworkModel::Discipline::lcfs_pr},
    {"siro", "in random order", NetworkModel::Discipline::siro},
    {"ps", "processor sharing", NetworkModel::Discipline::ps},
    {"dps", "discriminatory sharing (weights of customers)", NetworkModel::Discipline::dps},
    {"gps", "generalised sharing (weights of classes)", NetworkModel::Discipline::gps},
    {"las", "least attained service", NetworkModel::Discipline::las},
    {"sjf", "shortest job first", NetworkModel::Discipline::sjf},
    {"ljf", "longest job first", NetworkModel::Discipline::ljf},
    {"srpt", "shortest remaining processing time, preemptive", NetworkModel::Discipline::srpt},
    {"sept", "shortest expected processing time", NetworkModel::Discipline::sept},
    {"lept", "longest expected processing time", NetworkModel::Discipline::lept},
    {"edd", "earliest due date", NetworkModel::Discipline::edd},
    {"polling", "polling: round the classes", NetworkModel::Discipline::polling}};

inline constexpr Word<NetworkModel::Priorities> priorities_words[] = {
    {"nonpreemptive", "go first, wait for the end of a service", NetworkModel::Priorities::nonpreemptive},
    {"preemptive", "interrupt services of lower priority", NetworkModel::Priorities::preemptive},
    {"ignored", "do not count here", NetworkModel::Priorities::ignored}};

inline constexpr Word<NetworkModel::Interruption> interruption_words[] = {
    {"finish", "goes on to its end", NetworkModel::Interruption::finish},
    {"resume", "resumes where it stopped", NetworkModel::Interruption::resume},
    {"repeat", "begins again, as long as before", NetworkModel::Interruption::repeat},
    {"resample", "begins again with a new time", NetworkModel::Interruption::resample}};

inline constexpr Word<NetworkModel::WhenFull> when_full_words[] = {
    {"lose", "who finds it full is turned away", NetworkModel::WhenFull::lose},
    {"block", "keeps his server until there is room (blocking after service)", NetworkModel::WhenFull::block},
    {"block_before", "is not served before there is room (blocking before service)",
     NetworkModel::WhenFull::block_before},
    {"retry", "comes again after a time", NetworkModel::WhenFull::retry}};

inline constexpr Word<Handover::Whom> outcome_words[] = {
    {"done", "done, or killed at their limit", Handover::Whom::through},
    {"rejected", "rejected: they want more than there is", Handover::Whom::refused}};

inline constexpr Word<NetworkModel::Visit> visit_words[] = {
    {"exhaustive", "until nobody is left", NetworkModel::Visit::exhaustive},
    {"gated", "for those it found there", NetworkModel::Visit::gated},
    {"limited", "for so many", NetworkModel::Visit::limited}};

inline constexpr Word<bool> vacations_words[] = {{"multiple", "until somebody waits", false}, {"single", "one", true}};

inline constexpr Word<NetworkModel::Routing> routing_words[] = {
    {"probabilities", "by the probabilities of the flows", NetworkModel::Routing::probabilities},
    {"random", "at random, all alike", NetworkModel::Routing::random},
    {"round_robin", "one after the other", NetworkModel::Routing::round_robin},
    {"shortest_queue", "to the shortest queue", NetworkModel::Routing::shortest_queue},
    {"least_work", "to the least work left", NetworkModel::Routing::least_work},
    {"power_of_d", "to the shortest of d at random", NetworkModel::Routing::power_of_d},
    {"fastest", "where the delay is expected to be shortest", NetworkModel::Routing::fastest},
    {"last_response", "where the last one stayed shortest", NetworkModel::Routing::last_response},
    {"last_service", "where the last service took least", NetworkModel::Routing::last_service}};

inline constexpr Word<NetworkModel::Leaving> taken_by_words[] = {
    {"done", "those who are done", NetworkModel::Leaving::done},
    {"refused", "those who are turned away", NetworkModel::Leaving::refused},
    {"reneged", "those who give up", NetworkModel::Leaving::reneged}};

inline constexpr Word<bool> when_down_words[] = {{"hold", "stays and goes on where it was", false},
                                                 {"lose", "is turned away, and so is who comes", true}};

inline constexpr Word<bool> region_words[] = {{"wait", "who comes waits before it", false},
                                              {"lose", "who comes is lost", true}};

/// As the table of a property has them.
template <typename Value, std::size_t n>
std::vector<Choice> choices_of(const Word<Value> (&words)[n]) {
  std::vector<Choice> out;
  for (const Word<Value>& one : words) out.push_back({one.name, one.label});
  return out;
}

/// What the word of a property means; the first where it is empty or wrong, which is said (DOC002).
template <typename Value, std::size_t n>
Value meaning_of(PropertyReader& read, const Element& element, const char* property, const Word<Value> (&words)[n]) {
  const std::string word = read.choice(element, property, words[0].name, choices_of(words));
  for (const Word<Value>& one : words)
    if (word == one.name) return one.value;
  return words[0].value;
}

}  // namespace ergode
