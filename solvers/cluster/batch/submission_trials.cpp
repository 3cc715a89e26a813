#include "solvers/cluster/batch/submission_trials.h"

namespace ergode {
namespace {

std::int64_t interruption_at_the_end_s(ServiceRun run) {
  while (run.links().empty()) {
    run.pass_to(run.next_s());
    run.minute();
  }
  return run.links().front().interruption_s();
}

}  // namespace

SubmissionTrials try_submissions(const Background& background, std::int64_t begin_s, const ChainRules& rules,
                                 const std::function<bool(double left_s)>& tried) {
  SubmissionTrials out;
  ChainRules pair = rules;
  pair.jobs = 2;
  const Provisioner never{.kind = Provisioner::Kind::asked, .now = [](const ChainMoment&) { return ChainAnswer{}; }};
  ServiceRun run(background, begin_s, pair, never);
  while (run.links().empty()) {
    run.pass_to(run.next_s());
    if (run.asks() && tried(run.moment().left_s)) {
      ServiceRun other = run;
      other.submit_now();
      out.moments.push_back({run.moment().left_s, features_of(run.moment(), pair), interruption_at_the_end_s(other)});
    }
    run.minute();
  }
  out.reactive_interruption_s = run.links().front().interruption_s();
  return out;
}

}  // namespace ergode
