#include "solvers/markov/markov_options.h"

namespace ergode {

const OptionTable<MarkovOptions>& markov_options() {
  static const OptionTable<MarkovOptions> table = [] {
    using Options = MarkovOptions;
    OptionTable<Options> t;
    t.word(
        {"method", "NAME", "the solver's",
         "How the chain is solved; ctmc-transient: uniformisation or cvode; ctmc-steady-state: direct or iterative."},
        &Options::method, {"uniformisation", "cvode", "direct", "iterative"});
    t.only_for("Markov solvers", [](const RunRequest& r) { return r.solver != "simulation"; });
    t.number({"error-bound", "E", "1e-12",
              "What Markov solvers may leave out, in probability and per unit of a reward. Answers of uniformisation "
              "near or "
              "below it are made sharper, to a millionth of their own; the interval of an exact answer states what is "
              "left."},
             "a number between 0 and 1", between_0_and_1, &Options::error_bound);
    t.count({"state-limit", "N", "2000000", "States at which Markov solvers give up."}, "1 to 1000000000", 1,
            1000000000, &Options::state_limit);
    t.on_off({"lumping", "on|off", "on",
              "Markov solvers count interchangeable components of an array instead of naming them."},
             &Options::lumping);
    return t;
  }();
  return table;
}

}  // namespace ergode
