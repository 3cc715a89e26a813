#pragma once
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "plugins/cost_effectiveness/engine/waiting.h"

namespace cost_effectiveness {

/// A pipeline as it was measured: model, index, chunks and whatever else makes it.
struct Experiment {
  std::string name;
  double time_s = 0.0;                       ///< of a query on the reference instance, or at its service; > 0
  double score = 0.0;                        ///< less is better, or more (PlanQuestion::more_score)
  double memory_gib = 0.0;                   ///< greatest on the device
  double tokens_in = 0.0, tokens_out = 0.0;  ///< of a query
  std::string service = {};                  ///< that answered; empty: it ran on an instance
  std::vector<double> further = {};          ///< by PlanQuestion::further
};
struct CloudInstance {
  std::string name;
  double tflops = 0.0;  ///< > 0
  double memory_gb = 0.0;
  double price_per_h = 0.0;  ///< USD
  double bandwidth = 0.0;    ///< of the memory [GB/s]; 0: not known
};
/// Priced by tokens.
struct TokenService {
  std::string name;
  double price_in = 0.0, price_out = 0.0;  ///< USD per million tokens
};

/// What a query's time on another instance goes with.
enum class Scaling : std::uint8_t {
  compute,   ///< as CEBench: the ratio of TFLOPS
  bandwidth  ///< of memory bandwidths, which bound decoding
};
enum class Objective : std::uint8_t { score, time, cost };
/// An objective beside these, which an experiment has wherever it runs: energy of a query, recall, memory.
struct FurtherObjective {
  std::string name;
  bool more = false;            ///< is better
  std::optional<double> limit;  ///< the worst that is allowed; none: any
};

struct PlanQuestion {
  std::vector<Experiment> experiments;
  std::vector<CloudInstance> instances;
  std::vector<TokenService> services;
  std::string reference = "A100";  ///< instance on which experiments ran
  Scaling scaling = Scaling::compute;
  std::vector<Objective> objectives = {Objective::score, Objective::cost};
  std::vector<FurtherObjective> further = {};  ///< any number of them
  bool more_score = false;                     ///< is better: of an accuracy
  /// Requests a second that a plan serves; 0: one query after the other, the rented time is the query's.
  double rate_per_s = 0.0;
  std::uint32_t servers = 0;  ///< instances of a plan at that rate; 0: the fewest that keep the limit
  double most_time_s = std::numeric_limits<double>::infinity();  ///< mean response, waiting included
  double most_cost = std::numeric_limits<double>::infinity();    ///< USD per 1000 queries
  std::optional<double> worst_score;                             ///< none: any
};

/// An experiment on an instance, or at its service.
struct Plan {
  std::size_t experiment = 0;
  std::size_t place = 0;  ///< number of the instance, or of the service
  bool at_service = false;
  std::string why_not{};   ///< empty: it can be done
  double service_s = 0.0;  ///< of one query
  double time_s = 0.0;     ///< with waiting
  double cost = 0.0;       ///< USD per 1000 queries
  std::uint32_t servers = 1;
  QueueWaiting waiting{};
  bool on_front = false;  ///< no other that can be done is as good in all objectives and better in one
  bool allowed = false;   ///< within all limits
};
struct PlanAnswer {
  std::vector<Plan> plans;  ///< every experiment on every instance, in this order, then those at services
  /// Of the plans within the limits, those that no other of them dominates; of these the cheapest, of equal ones that
  /// of the better score, the shorter time, the first.
  std::optional<std::size_t> recommended;
  std::string why_none{};  ///< where none is recommended
};
/// Feasible where the experiment needs less memory than the instance has (strictly); time by `scaling`; cost by rent or
/// tokens (CEBench, arXiv 2407.12797; queue, services and further objectives are additions). Values are compared to 40
/// bits.
/// @throws std::invalid_argument  no such reference or service, no bandwidth, an experiment without a further objective
PlanAnswer plans(const PlanQuestion& question);

/// USD of one query at a service.
double service_cost(const TokenService& service, double tokens_in, double tokens_out);
/// Queries an hour from which renting is cheaper than paying by tokens; infinite where tokens cost nothing.
double break_even_per_h(const CloudInstance& instance, double query_usd);

}  // namespace cost_effectiveness
