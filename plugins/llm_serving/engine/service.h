#pragma once
#include <cstdint>
#include <limits>
#include <memory>
#include <queue>
#include <vector>

#include "plugins/llm_serving/engine/replica.h"

namespace llm_serving {

enum class ReplicaRouting : std::uint8_t {
  round_robin,
  least_loaded,    ///< fewest tokens still to compute and to generate; of equal ones the first
  prefix_aware,    ///< most tokens of the prompt in the cache, unless it has far more to do than the least loaded
  shortest_queue,  ///< fewest requests; of equal ones the first
  /// Fewest prompt tokens that are not computed yet, and one more for each request; of equal ones the first.
  least_pending,
  /// Who decodes is chosen at the door: fewest tokens that his requests will hold in the end, prompt and output, those
  /// on their way to him too; of equal ones the first. Prompts that are computed apart go to the least pending
  /// (Splitwise's mixed pool).
  least_reserved
};

struct ServiceOptions {
  ReplicaOptions replica{};
  std::uint32_t replicas = 1;
  ReplicaRouting routing = ReplicaRouting::round_robin;
  /// Of prefix_aware: a replica may have that many tokens more to do than the least loaded for each token it has
  /// cached.
  double prefix_patience = 8.0;
  /// Replicas that compute prompts only, beside those that decode; 0: every replica does both (Zhong et al., DistServe,
  /// OSDI 2024; Patel et al., Splitwise, ISCA 2024).
  std::uint32_t prefill_replicas = 0;
  StepTime prefill_time{};  ///< of those
  /// Replicas that decode make their steps together, each as long as the longest, for the experts of a mixture are
  /// spread over them: data parallel attention, expert parallel networks. An idle one waits for the end of the step.
  bool together = false;
  bool padded = false;       ///< then all compute as many tokens as the one with the most
  double transfer_ms = 0.0;  ///< of keys and values to who decodes, once a request
  double transfer_ms_per_token = 0.0;
};

/// Replicas behind one door. Driven by a clock from outside: arrivals in order, then advance() up to next_event_s().
class Service {
 public:
  Service(const ServiceOptions& options, std::uint64_t seed);

  /// False where no replica could ever hold its context: it is gone, and counted.
  bool arrive(double now_s, const Request& request);
  double next_event_s() const;
  /// Nobody is done before that time, if nobody else comes (Replica::next_done_s()).
  double next_done_s() const;
  /// All that happens up to and at that time; whoever is done goes to `out`, by the time at which he is.
  void advance(double to_s, std::vector<Served>& out);

  std::size_t here() const { return here_; }                          ///< requests
  const std::vector<Replica>& replicas() const { return replicas_; }  ///< those that decode first
  std::vector<Replica>& replicas() { return replicas_; }
  std::size_t decoders() const { return options_.replicas; }

 private:
  std::size_t choose_decoder(const Request& request, std::uint64_t& turn);
  struct Transfer {
    double ready_s = 0.0;
    std::uint64_t order = 0;
    Request request;
  };
  struct Later {
    bool operator()(const Transfer& a, const Transfer& b) const {
      return a.ready_s != b.ready_s ? a.ready_s > b.ready_s : a.order > b.order;
    }
  };
  static constexpr double never = std::numeric_limits<double>::infinity();
  std::size_t choose(const Request& request, std::size_t from, std::size_t to, std::uint64_t& turn);
  void step_together(double now_s, std::vector<Served>& out);
  double next_together_s() const;
  void hand_over(std::size_t from, std::vector<Served>& out);

  ServiceOptions options_;
  std::vector<Replica> replicas_;
  std::vector<Served> done_;
  std::priority_queue<Transfer, std::vector<Transfer>, Later> transfers_;
  /// A request on its way from who computes its prompt to who decodes, and what neither of them tells of it.
  struct Away {
    Request asked;
    double seen_s = 0.0, admitted_s = 0.0, adapter_wait_s = 0.0;
    std::size_t decoder = 0;  ///< of least_reserved
  };
  std::vector<Away> away_;  ///< by the number that replicas know it by
  std::vector<std::uint64_t> free_;
  std::vector<double> reserved_;  ///< tokens, by replica that decodes
  double together_s_ = -never;    ///< when the common step ends; before that nobody begins one
  std::uint64_t turn_ = 0, decode_turn_ = 0, transferred_ = 0;
  std::size_t here_ = 0;
};

}  // namespace llm_serving
