#include "solvers/cluster/lowering/missing_throughputs.h"

namespace ergode {

std::string left_out_text(const std::string& trace, const std::string& table,
                          const std::map<std::string, std::vector<std::size_t>>& missing) {
  constexpr std::size_t most_works = 10, most_jobs = 20;
  std::size_t jobs = 0, told = 0;
  std::string works;
  for (const auto& [what, places] : missing) {
    jobs += places.size();
    if (++told > most_works) continue;
    works += (works.empty() ? "" : "; ") + what + ": ";
    for (std::size_t i = 0; i < std::min(places.size(), most_jobs); ++i)
      works += (i > 0 ? ", " : places.size() > 1 ? "jobs " : "job ") + std::to_string(places[i]);
    if (places.size() > most_jobs) works += " and " + std::to_string(places.size() - most_jobs) + " more";
  }
  if (told > most_works) works += "; " + std::to_string(told - most_works) + " sorts of jobs more";
  return std::to_string(jobs) + (jobs == 1 ? " job of " : " jobs of ") + trace + (jobs == 1 ? " is" : " are") +
         " left out, because " + table + " has no throughput for " + works + ".";
}

}  // namespace ergode
