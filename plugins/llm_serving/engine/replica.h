#pragma once
#include <algorithm>
#include <array>
#include <cstdint>
#include <deque>
#include <limits>
#include <vector>

#include "plugins/llm_serving/engine/acceptance.h"
#include "plugins/llm_serving/engine/adapters.h"
#include "plugins/llm_serving/engine/kv_cache.h"
#include "plugins/llm_serving/engine/random.h"
#include "plugins/llm_serving/engine/speculation.h"
#include "plugins/llm_serving/engine/step_time.h"

namespace llm_serving {

struct Request {
  static constexpr std::uint32_t none = ~0U;
  std::uint64_t id = 0;
  double arrival_s = 0.0;
  std::uint32_t prompt = 1, output = 1;  ///< tokens, each at least 1
  std::uint32_t prefix_group = none;     ///< whose prompts begin alike
  std::uint32_t prefix = 0;              ///< tokens of the prompt that do
  std::uint32_t trace = none;            ///< number among ReplicaOptions::traces: what it accepts by position
  std::uint32_t adapter = none;          ///< number among ReplicaOptions::adapters; none: the model as it is
  bool prefilled = false;                ///< another replica has computed the prompt and the first token
  double first_token_s = -1.0;           ///< there
};
/// A request that is done.
struct Served {
  std::uint64_t id = 0;
  double arrival_s = 0.0, admitted_s = 0.0, first_token_s = 0.0, finish_s = 0.0;
  std::uint32_t prompt = 0, output = 0, preemptions = 0;
  double seen_s = 0.0;  ///< when a step was put together with it in the queue: servers' own clocks begin there
  std::uint32_t adapter = Request::none;
  double adapter_wait_s = 0.0;  ///< from when it asked for its adapter until that was there
  /// From its first token until a step of who decodes took it in: the way of its keys and values, and the wait there; 0
  /// where one replica did both.
  double handover_s = 0.0;
  double ttft_s() const { return first_token_s - arrival_s; }
  double latency_s() const { return finish_s - arrival_s; }
  /// Time per output token after the first [s]; 0 of a single one.
  double tpot_s() const { return output > 1 ? (finish_s - first_token_s) / (output - 1.0) : 0.0; }
};

enum class Batching : std::uint8_t {
  prefill_first,  ///< prompts of those who wait in a step of their own, before anybody decodes on
  chunked,        ///< decodes on, and fills what is left of the token budget with pieces of prompts
  beside          ///< whole prompts first, and all decode on in the same step where the token budget has room for them
};
enum class Preemption : std::uint8_t {
  recompute,  ///< the newest gives his blocks back and is computed once more
  swap        ///< ... goes to the host's memory and comes back
};

struct ReplicaOptions {
  StepTime time;
  Acceptance acceptance = Acceptance::independent(0.7);
  std::vector<std::vector<std::uint32_t>> traces;  ///< see AcceptanceTrace
  /// Chance that the drafter finds something to propose for a request. With a trace: where that gives one token alone;
  /// where it gives more it was found.
  double match = 1.0;
  ControlOptions control;
  Batching batching = Batching::prefill_first;
  std::uint32_t max_running = 256;           ///< requests in a batch, at least 1
  std::uint32_t max_batched_tokens = 2560;   ///< of a step that computes prompts; a longer prompt alone exceeds it
  std::uint32_t max_prefills = 0xffffffffU;  ///< prompts in one step
  /// A step is put together when the one before it begins (asynchronous scheduling): who comes during a step joins the
  /// one after the next, or the next where nobody runs.
  bool schedules_ahead = false;
  /// Where a pass is the last of all who run and nobody waits, the replica counts as empty from its begin: who comes
  /// within it begins a pass of his own at once, each as fast as if it were alone, and both are busy time. So
  /// simulators have it that take a batch away when its last pass begins; no server does. Neither with adapters nor by
  /// hand.
  bool overlaps_last_pass = false;
  std::uint64_t blocks = 0;       ///< of the cache; 0: without a limit
  std::uint32_t block_size = 16;  ///< tokens
  double watermark = 0.01;        ///< share of blocks that admissions leave free
  Preemption preemption = Preemption::recompute;
  double swap_ms_per_token = 0.0;  ///< each way
  bool shares_prefixes = false;
  AdapterOptions adapters{};
  bool prefills_only = false;  ///< done with the first token: others decode
};

/// What happened on a replica so far, over its whole time.
struct ReplicaTotals {
  std::uint64_t steps = 0, prefill_steps = 0, preemptions = 0, rejected = 0;
  std::uint64_t without_time = 0;    ///< steps that step times give no time above 0, as coefficients below 0 may
  double generated = 0.0;            ///< tokens
  double prompt_tokens = 0.0;        ///< that were computed, those computed again included
  double prompt_tokens_found = 0.0;  ///< that were in the cache
  double busy_s = 0.0, decode_s = 0.0;
  double requests_s = 0.0;                             ///< integral of the running requests over busy time
  double cache_s = 0.0;                                ///< integral of the share of blocks in use; 0 without a limit
  double adapters_s = 0.0;                             ///< ... of the adapters that a pass uses
  double predicted = 0.0;                              ///< tokens that were expected of the decode steps
  double decoded = 0.0;                                ///< that they gave
  double proposed = 0.0, tried = 0.0, accepted = 0.0;  ///< tokens of drafts
  std::array<double, most_proposed + 1> steps_by_length{};  ///< decode steps by k
};
/// One step, for curves over time.
struct StepRecord {
  double begin_s = 0.0, end_s = 0.0;
  std::uint32_t running = 0, waiting = 0;
  std::int32_t length = 0;     ///< k; -1: computed prompts only
  double cache = 0.0;          ///< share of blocks in use
  std::uint32_t decoding = 0;  ///< of `running`, who get a token after their first
};

/// One copy of the model that serves requests by continuous batching (Yu et al., Orca, OSDI 2022), with paged keys and
/// values, preemption and speculative decoding. Steps follow each other; who comes during one waits for its end. The
/// same seed gives the same bits. A step costs some nanoseconds a running request and no allocation.
class Replica {
 public:
  Replica(const ReplicaOptions& options, std::uint64_t seed, std::uint64_t stream);

  /// Not before what was advanced to. False of one whose context can never be held: it is gone, and counted.
  bool arrive(double now_s, const Request& request);
  /// When something happens next [s]; infinite while nobody is here.
  double next_event_s() const { return leaving_.empty() ? next_s_ : std::min(next_s_, leaving_.front().finish_s); }
  /// Nobody is done before that time [s], if nobody else comes: whoever drives it may let it make all its steps until
  /// then at once. O(requests here).
  double next_done_s() const;
  /// All that happens up to and at that time; whoever is done goes to `out`, in order.
  void advance(double to_s, std::vector<Served>& out);

  /// A step by hand, for replicas that step together: the one that goes on ends, the next is put together, its time is
  /// asked for, with Pass::rank_tokens and padded_tokens, and it begins. Nothing begins where nobody is here.
  void end(double now_s, std::vector<Served>& out);
  void compose(double now_s);
  bool stepping() const { return stepping_; }
  double composed_tokens() const { return pass_.tokens; }
  double composed_ms(double rank_tokens, double padded_tokens);
  void launch(double now_s, double ms);

  std::size_t waiting() const { return waiting_.size() + swapped_.size() + for_adapters_.size(); }
  std::size_t running() const { return running_.size(); }
  /// Tokens that are still to be computed or generated for those here: how much work it has.
  double work() const { return work_; }
  /// Prompt tokens of those here that are not computed yet, of those that are computed once more what they had got too.
  double prompts_left() const { return prompts_left_; }
  /// Tokens of that group's beginning that it would find.
  std::uint64_t prefix_found(std::uint32_t group, std::uint32_t tokens) const { return cache_.found(group, tokens); }
  const ReplicaTotals& totals() const { return totals_; }
  const AdapterSlots& adapters() const { return adapters_; }
  const LengthController& controller() const { return controller_; }
  /// Steps are noted there while it is not null, every `n`-th.
  void note_steps(std::vector<StepRecord>* to, std::uint64_t every = 1) { notes_ = to, note_every_ = every; }

 private:
  struct Waiting {
    Request request;
    double came_s = 0.0;
    double seen_s = -1.0, admitted_s = -1.0, first_token_s = -1.0;
    std::uint32_t emitted = 0, preemptions = 0;
    std::uint32_t tried = 0, accepted = 0;
    std::uint64_t shared_blocks = 0;  ///< of its blocks those that belong to its group
    bool swapped_in = false;          ///< its beginning is its own then
    double adapter_asked_s = -1.0, adapter_wait_s = 0.0;
    std::uint64_t context() const { return std::uint64_t{request.prompt} + emitted; }
  };
  struct Running {
    std::uint32_t emitted = 0, output = 0;
    std::uint32_t context = 0;       ///< tokens that are computed
    std::uint32_t prefill_left = 0;  ///< of its prompt
    std::uint32_t blocks = 0;        ///< its own
    std::uint32_t slot = 0;          ///< of what is rarely read
    std::int32_t length = 0;         ///< proposed in this step
    std::uint32_t got = 0;           ///< prompt tokens in this step
  };
  static constexpr double never = std::numeric_limits<double>::infinity();
  static constexpr int estimate_steps = 100;  ///< of a request's own acceptance, from 0 to 1

  void begin_step(double now_s);
  bool has_adapter(const Request& request) const { return options_.adapters.any() && request.adapter != Request::none; }
  void look_for_adapters(double now_s);
  bool adapter_there(double now_s, Waiting& first);
  /// By a step before this one, where steps are put together ahead.
  bool seen(const Waiting& one, double now_s) const { return !only_seen_ || one.seen_s < now_s; }
  void after_a_load();
  void count_adapters();
  bool admit(double now_s, std::uint64_t& budget, std::uint32_t& prompts, Pass& pass);
  static void add_prompt(Pass& pass, const Running& one, double found);
  void bring_back(double& extra_ms);
  void start(double now_s, double ms);
  double decode_part(Pass& pass, double& extra_ms);
  bool room_for_all(double& extra_ms);
  void preempt_last(double& extra_ms);
  void lengths_of_each(const DecodeLoad& load);
  std::size_t own_estimate(const Running& one) const;
  double look_up();
  /// Tokens that its trace gives it where it is now, with an unlimited draft; 0 without a trace.
  std::uint32_t trace_of(const Running& one) const {
    const std::uint32_t number = slots_[one.slot].request.trace;
    if (number == Request::none) return 0;
    const std::vector<std::uint32_t>& trace = options_.traces[number];
    return trace[std::min<std::size_t>(one.emitted - 1, trace.size() - 1)];
  }
  void end_step(double now_s, std::vector<Served>& out);
  bool all_end() const;
  void end_ahead();
  std::uint32_t tokens_of(Running& one);
  void release(Running& one);
  double shortest_step_s() const;
  std::uint32_t slot();

  const ReplicaOptions options_;
  Random random_;
  KvCache cache_;
  LengthController controller_;
  AdapterSlots adapters_;
  std::deque<Waiting> waiting_, swapped_;
  std::deque<Waiting> for_adapters_;  ///< whose adapters are not there: others pass them
  std::deque<Served> leaving_;        ///< whose last pass goes on beside others, by its end (overlaps_last_pass)
  std::vector<Running> running_;
  std::vector<Waiting> slots_;
  std::vector<std::uint32_t> free_slots_;
  double next_s_ = never, begun_s_ = 0.0, work_ = 0.0, prompts_left_ = 0.0;
  bool stepping_ = false, decodes_ = false, prefills_ = false;
  bool proposes_ = false;                     ///< somebody may have a length
  bool only_seen_ = false;                    ///< this step takes whom an earlier one has seen
  std::uint64_t decoding_ = 0, context_ = 0;  ///< requests that decode, and the sum of their contexts
  int length_ = 0;
  double predicted_ = 0.0;
  std::vector<std::uint64_t> used_in_;  ///< by adapter, the pass that used it last
  std::uint64_t passes_ = 0;
  std::uint32_t at_work_ = 0;  ///< adapters that this step uses
  Pass pass_;                  ///< of the step that is put together, and what it takes beside the target
  double extra_ms_ = 0.0, draft_ms_ = 0.0;
  std::uint32_t spare_bits_ = 0;
  bool has_spare_ = false;
  ReplicaTotals totals_;
  std::vector<StepRecord>* notes_ = nullptr;
  std::uint64_t note_every_ = 1;
};

}  // namespace llm_serving
