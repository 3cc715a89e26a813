// What may be said of the nodes of a cluster by name, and what joins what.
#include "solvers/cluster/lowering/rental_lowering.h"

namespace ergode {

std::vector<std::string> rental_slots_of_kind(std::string_view kind) {
  if (kind == "job_stream") return {"submitted", "jobs", "gpus"};
  if (kind == "rental")
    return {"jobs",     "gpus",    "spend",         "failures",  "on_demand", "spot",
            "reserved", "waiting", "interruptions", "lost_work", "power"};
  return {};
}

std::vector<std::string> rental_streams_of_kind(std::string_view kind) {
  if (kind == "rental") return {"response_time", "gpu_time", "cost", "job_lost_work", "job_interruptions", "slowdown"};
  return {};
}

std::string why_no_job_flow(std::string_view from, std::string_view to) {
  if (from == "note" || to == "note") return "Notes stand for themselves.";
  if (from == "provisioner" && to == "host_pool") return "";
  if (from != "job_stream") return "Jobs come from a job stream.";
  if (to != "rental" && to != "host_pool" && to != "gpu_fleet" && to != "gpu_cluster" && to != "round_scheduler" &&
      to != "iteration_scheduler")
    return "Jobs of a stream go to a rental, to a pool of hosts, to a fleet of GPUs, to a GPU cluster, to a round "
           "scheduler or to a scheduler of iterations.";
  return "";
}

}  // namespace ergode
