#include "solvers/queueing/exact/impatient_customers.h"

#include <cmath>

#include "core/base/text.h"
#include "solvers/queueing/exact/wide_double.h"

namespace ergode {
namespace {

/// States that are summed up, a third of a second's worth: of more servers, or of a queue so long, nothing is said.
constexpr int most_summed = 4000000;

Diagnostic too_many_summed() {
  return queueing_error("QUE104", "More than " + std::to_string(most_summed) +
                                      " numbers of customers would have to be summed up; wanted fewer servers, or less "
                                      "patience.");
}

}  // namespace

Solved<ImpatientMeans> impatient_customers(double arrival_rate, double service_rate, int servers,
                                           double abandonment_rate, std::optional<int> capacity) {
  for (const double rate : {arrival_rate, service_rate, abandonment_rate})
    if (!(rate > 0 && std::isfinite(rate)))
      return queueing_error("QUE102", "A rate is " + number_text(rate) + " /s; wanted above 0 /s.");
  if (servers < 1 || (capacity && *capacity < servers))
    return queueing_error("QUE102", "There are " + std::to_string(servers) +
                                        " servers; wanted at least 1, and no more than the capacity.");
  if (servers > most_summed) return too_many_summed();
  const double offered = arrival_rate / service_rate, all_serve = servers * service_rate;
  // `served` and `waited`: of arrivals who find so many, the part that is served, and their waiting.
  WideDouble term(1.0), sum(1.0), busy, queue, finds_room, finds_all_busy, served, waited;
  for (int n = 1; n <= servers; ++n) {
    finds_room += term, served += term;
    term = term * WideDouble(offered / n);
    sum += term, busy += term * WideDouble(n);
  }
  double wait_if_served = 0;
  for (int q = 0;; ++q) {  // who are waiting
    if (capacity && servers + q == *capacity) break;
    if (servers + q > most_summed) return too_many_summed();
    const double leaves = all_serve + (q + 1) * abandonment_rate;
    wait_if_served += 1 / leaves;
    const WideDouble let_through = term * WideDouble(all_serve / leaves);
    finds_room += term, finds_all_busy += term, served += let_through,
        waited += let_through * WideDouble(wait_if_served);
    const double factor = arrival_rate / leaves;
    term = term * WideDouble(factor);
    sum += term, busy += term * WideDouble(servers), queue += term * WideDouble(q + 1);
    if (!capacity &&
        (term.is_zero() || (factor < 1 && (q + 1) * ratio(term, sum) < 1e-18 * (1 - factor) * (1 - factor))))
      break;
  }
  ImpatientMeans m;
  const double busy_servers = ratio(busy, sum);
  m.utilisation = busy_servers / servers, m.throughput = busy_servers * service_rate;
  m.waiting_number = ratio(queue, sum), m.number = m.waiting_number + busy_servers;
  m.empty = ratio(WideDouble(1.0), sum), m.wait_probability = ratio(finds_all_busy, finds_room);
  m.loss_probability = capacity ? ratio(term, sum) : 0;
  m.abandonment_probability = abandonment_rate * m.waiting_number / arrival_rate;
  m.waiting_s = ratio(waited, served), m.response_s = m.waiting_s + 1 / service_rate;
  return m;
}

}  // namespace ergode
