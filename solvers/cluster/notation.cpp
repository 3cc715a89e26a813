#include "solvers/cluster/notation.h"

#include <algorithm>

#include "core/base/text.h"
#include "core/document/command.h"
#include "core/drawing/node_pen.h"
#include "solvers/cluster/lowering/batch_lowering.h"
#include "solvers/cluster/lowering/batch_words.h"
#include "solvers/cluster/lowering/gang_words.h"
#include "solvers/cluster/lowering/iteration_words.h"
#include "solvers/cluster/lowering/missing_throughputs.h"
#include "solvers/cluster/lowering/pool_words.h"
#include "solvers/cluster/lowering/rental_lowering.h"
#include "solvers/cluster/lowering/rental_words.h"
#include "solvers/cluster/notation_drawing.h"
#include "solvers/cluster/notation_failures.h"
#include "solvers/cluster/notation_figures.h"
#include "solvers/cluster/notation_fleet.h"
#include "solvers/cluster/notation_properties.h"
#include "solvers/cluster/notation_rounds.h"

namespace ergode {
namespace {

using namespace cluster_properties;
using Type = PropertyType;

PropertySpec gap_of_jobs() {
  PropertySpec out =
      behaviour_property("interarrival", "Time between arrivals", Type::expression,
                         "A distribution or a time, as in exponential(mean = 1 h).", default_job_gap, "h");
  out.instead = "rate trace sink";
  return out;
}

/// What the jobs of a trace bring themselves, and those that were customers may.
PropertySpec brought_by_jobs(PropertySpec out) {
  out.no_default_with = "trace taken";
  return out;
}

PropertySpec file_of_jobs() {
  return file_named("trace", "Trace of jobs",
                    "For pools of hosts, GPU clusters and round schedulers, instead of all above: a file of jobs, or a "
                    "parameter of type file. For pools accounts of Slurm, the standard workload format (.swf), or a "
                    "workload of Batsim (.json); for GPU clusters these, or a table as of Tiresias, Helios or Pollux, "
                    "jobs of Philly (.json), or a trace of Gavel; for round schedulers one of Shockwave or Gavel.",
                    "jobs are drawn");
}

PropertySpec file_of_throughputs() {
  return file_named(
      "throughputs", "Throughputs of a trace",
      "For GPU clusters whose trace is one of Gavel, which counts in steps: a CSV file, or a parameter of "
      "type file: model, batch_size, num_gpus, steps_per_s.",
      "not needed");
}

PropertySpec file_of_speeds() {
  return file_named("measurements", "Measured speeds",
                    "A CSV file, or a parameter of type file: gpus and speed, or a profile of Pollux. The parameter of "
                    "the speedup is then fitted to it by least squares; a table is taken as it is.",
                    "not measured");
}

PropertySpec sink_of_customers() {
  PropertySpec out = behaviour_property(
      "sink", "Customers who arrive at", Type::reference,
      "For all but rentals, instead of a time between arrivals: the sink of a queueing network. Each "
      "customer who arrives there becomes a job at that moment.");
  out.reference = "sink";
  out.empty_hint = "no sink";
  return out;
}

PropertySpec taken_of_customers() {
  return hinted(behaviour_property("taken", "Taken of customers", Type::text,
                                   "What a job has by attributes of the customer: size = work, hosts = width. The rest "
                                   "is drawn. For pools size, limit and hosts; for GPU clusters size, gpus, cpus and "
                                   "memory; for fleets size and gpus; for round schedulers size, gpus and epochs; for "
                                   "schedulers of iterations size, gpus and iterations."),
                "nothing");
}

PropertySpec limit_of_jobs() {
  return hinted(behaviour_property("limit", "Time limit", Type::expression,
                                   "For pools of hosts: a job that runs longer is killed; schedulers plan with it. A "
                                   "distribution or a time.",
                                   "", "h"),
                "none");
}

PropertySpec most_gpus() {
  return hinted(amount("most_gpus", "Most GPUs", "That one job can use, >= 1; empty: any number."), "unlimited");
}

/// The one parameter of a family of speedups.
PropertySpec of_speedup(const char* family, const char* name, const char* label, const char* help,
                        const char* otherwise) {
  return only_when(amount(name, label, help, otherwise), "speedup", {family});
}

KindSpec stream_kind() {
  KindSpec out{
      .kind = "job_stream",
      .label = "Job stream",
      .shortcut = "J",
      .icon = "job_stream",
      .width = 200,
      .height = 84,
      .help = "Jobs of one type: when they come, how much work they are, and how much faster more GPUs make them.",
      .properties =
          {name_of_node(),
           gap_of_jobs(),
           amount("rate", "Rate", "Instead: they come at random at this rate, which may change while the model runs.",
                  "", "/h"),
           brought_by_jobs(
               behaviour_property("size", "Size", Type::expression,
                                  "Work of a job, as the time that it takes on one GPU: a distribution or a time.",
                                  default_job_size, "h")),
           choice_of("speedup", "Speedup", "How much faster k GPUs make a job; of one GPU 1.", speedup_words),
           file_of_speeds(),
           of_speedup("amdahl", "parallel", "Part that runs side by side",
                      "p of Amdahl's law 1 / (1 - p + p / k), 0 to below 1.", default_parallel_part),
           of_speedup("power", "exponent", "Exponent", "a of k^a, 0 to below 1.", default_speedup_exponent),
           of_speedup("logarithmic", "coefficient", "Coefficient", "c of 1 + c ln k, 0 to 1.",
                      default_speedup_coefficient),
           only_when(
               behaviour_property("table", "Speeds", Type::expression,
                                  "Pairs of GPUs and speed, beginning with [1, 1]: [[1, 1], [2, 1.8]]. A job uses "
                                  "one of these numbers of GPUs, if it is worth it.",
                                  default_speedup_table),
               "speedup", {"table"}),
           most_gpus(),
           amount("start_up", "Start-up time", "Of each job on all its GPUs before it works, >= 0 h.", "0 h", "h"),
           file_of_jobs(),
           sink_of_customers(),
           taken_of_customers(),
           brought_by_jobs(behaviour_property("hosts", "Hosts of a job", Type::expression,
                                              "For pools of hosts: a number or a distribution, rounded up, at least 1.",
                                              default_job_hosts)),
           limit_of_jobs(),
           hinted(amount("trace_gpus", "GPUs of a traced host",
                         "Of a trace that counts hosts or processors and flows to a GPU cluster: a job has so "
                         "many for each of them, a whole number from 1. Empty: of Slurm's hosts as many as "
                         "a host of the cluster has, of processors 1."),
                  "as the cluster's"),
           file_of_throughputs(),
           choice_of("missing_throughputs", "Jobs without one",
                     "For GPU clusters whose trace is one of Gavel: jobs for which the table has no row.",
                     missing_throughput_words),
           brought_by_jobs(behaviour_property(
               "gpus", "GPUs of a job", Type::expression,
               "For GPU clusters, fleets of GPUs and round schedulers: a number or a distribution, rounded up, at "
               "least "
               "1. In a cluster or a round the job needs all of them at once, and runs for its size over its speedup "
               "on them; in a fleet its size is the time on so many median GPUs of one node.",
               default_gang_gpus)),
           brought_by_jobs(behaviour_property(
               "iterations", "Iterations of a job", Type::expression,
               "For schedulers of iterations: a number or a distribution, rounded up, at least 1. An iteration of "
               "all workers takes the size over the speedup on the GPUs of the job, over this number.",
               default_job_iterations)),
           amount("cpus", "CPUs of a job", "For GPU clusters that count them, >= 0.", "0"),
           amount("memory", "Memory of a job", "For GPU clusters that count it, >= 0.", "0")},
      .stem = "jobs",
      .draw = draw_job_stream,
      .told_apart = true,
      .report_columns = {"interarrival", "rate", "trace", "size", "speedup", "parallel", "exponent", "coefficient",
                         "table", "most_gpus", "start_up"},
      .report_caption = "Job streams of *",
      .figures = job_stream_figures};
  for (PropertySpec& property : fleet_job_properties()) out.properties.push_back(std::move(property));
  for (PropertySpec& property : round_job_properties()) out.properties.push_back(std::move(property));
  return out;
}

KindSpec rental_kind() {
  PropertySpec exponent =
      hinted(amount("share_exponent", "Exponent of shares",
                    "p of heSRPT's shares, 0 to below 1; empty: that of the speedups, of other families than the power "
                    "as fitted on the whole cluster, of several types the mean by work."),
             "of the speedups");
  const std::vector<std::string> fixed = {"optimal", "equal_width"};
  KindSpec kind = {
      .kind = "rental",
      .label = "GPU rental",
      .shortcut = "G",
      .icon = "rental",
      .width = 200,
      .height = 96,
      .help = "GPUs rented by the hour: how many on average, by which contract, and who gets how many of them.",
      .properties = {name_of_node(),
                     amount("budget", "Budget",
                            "GPUs rented on average in the long run, > 0; a cluster that is shared has as many whole "
                            "ones.",
                            default_budget),
                     choice_of("policy", "Policy", "How many GPUs each job gets.", policy_words),
                     only_when(
                         behaviour_property("whole_gpus", "Whole GPUs only", Type::boolean,
                                            "Widths are whole numbers; at most one type then mixes two.", "false"),
                         "policy", fixed),
                     only_when(exponent, "policy", {"hesrpt"}), money_of_rental(),
                     choice_of("contract", "Contract", "What GPUs are rented by.", contract_words),
                     only_when(amount("price", "Price", "Of a GPU on demand, >= 0 USD/h.", "0 USD/h", "USD/h"),
                               "contract", {"on_demand", "reserved"}),
                     only_when(amount("start_up", "Start-up time",
                                      "Of GPUs on demand, paid, before a job may use them, >= 0 h.", "0 h", "h"),
                               "contract", {"on_demand", "reserved"}),
                     amount("failure_rate", "Failure rate",
                            "Of a GPU that a job has, >= 0 /h: the job goes back to its last checkpoint.", "0 /h",
                            "/h"),
                     checkpoint_period("a job that fails begins again."), checkpoint_cost(),
                     amount("restart", "Time to restart",
                            "After a failure or an interruption, on all GPUs of the job, >= 0 h.", "0 h", "h"),
                     busy_power(),
                     amount("idle_power", "Power of an idle GPU",
                            "Of a reserved one, or one of a cluster, that no job has, >= 0 W.", "0 W", "W")},
      .stem = "rental",
      .draw = draw_rental,
      .report_columns = {"budget",
                         "policy",
                         "whole_gpus",
                         "share_exponent",
                         "price",
                         "failure_rate",
                         "checkpoint_period",
                         "checkpoint_cost",
                         "restart",
                         "contract",
                         "money",
                         "start_up",
                         "reserved",
                         "reserved_price",
                         "reserved_start_up",
                         "spot_price",
                         "spot_start_up",
                         "interruption_rate",
                         "interruption_after",
                         "interruption_per",
                         "notice",
                         "spot_wait"},
      .report_caption = "Rentals of *",
      .figures = rental_figures};
  const auto after = [&](const char* name) {
    return std::find_if(kind.properties.begin(), kind.properties.end(),
                        [&](const PropertySpec& one) { return one.name == name; }) +
           1;
  };
  std::vector<PropertySpec> more = contract_properties();
  kind.properties.insert(after("start_up"), more.begin(), more.end());
  for (PropertySpec& one : kind.properties)
    if (one.name == "budget") one.instead = "money";
  return kind;
}

PropertySpec of_slurm(const char* name, const char* label, const char* help, const char* otherwise,
                      const char* unit = "") {
  return only_when(amount(name, label, help, otherwise, unit), "policy", {"slurm"});
}

KindSpec pool_kind() {
  KindSpec kind = {
      .kind = "host_pool",
      .label = "Host pool",
      .shortcut = "H",
      .icon = "host_pool",
      .width = 200,
      .height = 96,
      .help = "Hosts that are alike, and the batch scheduler that gives whole ones to jobs.",
      .properties =
          {name_of_node(), amount("hosts", "Hosts", "A whole number from 1.", default_hosts),
           amount("accelerators", "GPUs of a host", "A whole number from 0.", default_accelerators),
           behaviour_property("type", "Type of GPU", Type::text, "For people: A100."),
           hinted(amount("memory", "Memory of a GPU", "0 or more; empty: it is not asked whether jobs fit.", "", "GiB"),
                  "not asked"),
           pool_speed(),
           choice_of("variation", "Variation",
                     "How much GPUs that should be alike differ; each history draws its own, and a job waits "
                     "for the slowest of all on its hosts.",
                     pool_variation_words),
           only_when(hinted(amount("scale_to", "Scaled to V",
                                   "Variation, whisker range over median, above 0 to 1; empty: as measured."),
                            "as measured"),
                     "variation", {"longhorn", "sgemm_longhorn", "frontera", "frontera_32", "lonestar6"}),
           amount("price", "Price", "Of a host that a job has, >= 0 USD/h.", "0 USD/h", "USD/h"),
           amount("busy_power", "Power of a busy host", "With its GPUs, >= 0 W.", "0 W", "W"),
           amount("idle_power", "Power of an idle host", "Of one that is up and has no job, >= 0 W.", "0 W", "W"),
           choice_of("policy", "Scheduler", "Who starts when hosts are free.", scheduling_words),
           of_slurm("size_weight", "Weight of the size", "Priority of a job that wants all hosts, 0 or more.", "100"),
           of_slurm("age_weight", "Weight of the age",
                    "Priority that a job gains while it waits for the age below, 0 or more.", "7000"),
           of_slurm("max_age", "Age", "> 0; the gain goes on beyond it.", "7 d", "h"),
           of_slurm("plan_interval", "Time between plans", "Whole minutes.", "10 min", "h"),
           of_slurm("plan_slot", "Slot of a plan", "> 0.", "10 min", "h"),
           of_slurm("plan_window", "Window of a plan", "How far it sees, > 0.", "48 h", "h"),
           of_slurm("plan_jobs", "Jobs of a plan", "So many at most are looked at.", "3000")},
      .stem = "pool",
      .draw = draw_host_pool,
      .report_columns = {"hosts", "accelerators", "type", "policy", "failure", "repair", "up_while",
                         "checkpoint_period", "checkpoint_cost", "restart", "requeue"},
      .report_caption = "Host pools of *",
      .figures = host_pool_figures};
  const std::vector<PropertySpec> failures = host_failure_properties();
  kind.properties.insert(kind.properties.end(), failures.begin(), failures.end());
  return kind;
}

KindSpec provisioner_kind() {
  const auto time = [](const char* name, const char* label, const char* help, const char* otherwise) {
    return amount(name, label, help, otherwise, "h");
  };
  const std::vector<std::string> learned = {"random_forest", "gradient_boosting", "policy_gradient"};
  std::vector<std::string> asked = learned;
  asked.push_back("quantile");
  return {.kind = "provisioner",
          .label = "Provisioner",
          .shortcut = "P",
          .icon = "provisioner",
          .width = 200,
          .height = 84,
          .help =
              "Keeps a service alive that is longer than a job may be: a chain of jobs, each submitted before the one "
              "ahead of it ends. A replication is one start of it.",
          .properties =
              {name_of_node(), choice_of("policy", "Policy", "When the next job is submitted.", provisioner_words),
               only_when(amount("level", "Level", "Of the quantile of waiting times, 0 to 1.", "0.99"), "policy",
                         {"quantile"}),
               amount("hosts", "Hosts of a job", "Of the service, a whole number from 1.", "1"),
               amount("chain_jobs", "Jobs of a chain", "A whole number from 2.", "2"),
               time("limit", "Time limit", "Of each job, which it uses in full; whole minutes.", "48 h"),
               time("warm_up", "Warm-up", "From the start to the submission of the first job; whole minutes.", "48 h"),
               time("window", "Window",
                    "Jobs of the trace that come within it from the start on are in the way, for a "
                    "chain of two; longer by a limit for each job more.",
                    "120 h"),
               time("first_start", "First start", "Since the begin of the trace; whole minutes.", "0 h"),
               time("start_period", "Time between starts", "Whole minutes.", "4 h"),
               amount("starts", "Starts", "A whole number from 1; replication i runs start i.", "1"),
               only_when(time("decide_every", "Time between decisions", "Whole minutes.", "10 min"), "policy", asked),
               only_when(time("train_first", "First start to learn from",
                              "Since the begin of the trace; whole minutes.", "0 h"),
                         "policy", learned),
               only_when(amount("train_starts", "Starts to learn from",
                                "A whole number from 1; the time between them is that above.", "48"),
                         "policy", learned),
               amount("interruption_weight", "Weight of interruption",
                      "What an hour costs, 0 or more; counted in tables, and policy_gradient learns from it.", "1"),
               amount("overlap_weight", "Weight of overlap",
                      "What an hour costs, 0 or more; counted in tables, and policy_gradient learns from it.", "1")},
          .stem = "service",
          .draw = draw_provisioner,
          .report_columns = {"policy", "hosts", "chain_jobs", "limit", "starts"},
          .report_caption = "Provisioners of *",
          .figures = provisioner_figures};
}

std::vector<KindSpec> cluster_kinds() {
  return {stream_kind(),
          rental_kind(),
          pool_kind(),
          provisioner_kind(),
          note_kind(),
          KindSpec{.kind = "job_flow",
                   .label = "Job flow",
                   .section = Section::edge,
                   .shortcut = "F",
                   .icon = "job_flow",
                   .named = false,
                   .help = "Jobs of the stream run on GPUs of this rental, fleet or cluster, on hosts of this pool, or "
                           "in rounds of this scheduler.",
                   .edge_look = [](const Element&) { return EdgeLook{.head = ArrowHead::filled}; }}};
}

std::string job_flow_between(const Document&, const Element& from, const Element& to, std::string& why_not) {
  why_not = why_no_job_flow(from.kind, to.kind);
  return why_not.empty() ? "job_flow" : "";
}

std::vector<DeclaredName> names_of_cluster(const Document& document, const Element& diagram) {
  std::vector<DeclaredName> out;
  for (const Element* node : document.nodes(diagram.id)) {
    if (node->kind == "note") continue;
    out.push_back({.path = {node->name()}, .element = node->id, .value = false});
    if (!trim(node->text("sink")).empty())
      out.push_back({.path = {node->name(), "time_in_system"}, .value = false, .stream = true});
  }
  for (const std::vector<DeclaredName>& more :
       {names_of_nodes(document, diagram, batch_slots_of_kind, batch_streams_of_kind),
        names_of_nodes(document, diagram, rental_slots_of_kind, rental_streams_of_kind)})
    out.insert(out.end(), more.begin(), more.end());
  return out;
}

// What people draw first: two types of jobs that differ in how well they use more GPUs.
void fill_cluster(Edit& edit, ElementId diagram) {
  const auto node = [&](const char* kind, PropertyTexts properties, Rect where) {
    Element made{.kind = kind, .diagram = diagram};
    made.properties = Value::object();
    for (const auto& [name, text] : properties) made.properties[name] = text;
    made.layout.bounds = where;
    return edit.insert(std::move(made));
  };
  const ElementId small = node("job_stream", {{"name", "small"}}, {60, 60, 200, 84}),
                  large = node("job_stream", {{"name", "large"}, {"speedup", "power"}}, {60, 200, 200, 84}),
                  rental = node("rental", {{"name", "cloud"}}, {380, 124, 200, 96});
  for (const ElementId stream : {small, large}) {
    Element made{.section = Section::edge, .kind = "job_flow", .diagram = diagram};
    made.source = stream, made.target = rental;
    edit.insert(std::move(made));
  }
}

}  // namespace

NotationSpec cluster_notation() {
  NotationSpec out{.name = "cluster",
                   .label = "Cluster",
                   .help =
                       "Jobs that run on many accelerators: streams of jobs, the GPUs rented for them, and pools "
                       "of hosts under a batch scheduler."};
  out.kinds = cluster_kinds();
  out.diagrams = {{.name = "cluster",
                   .label = "Cluster",
                   .menu = "New c&luster",
                   .stem = "Cluster",
                   .icon = "cluster",
                   .help_page = "9_clusters",
                   .header = {{"horizon", "1000 h"}, {"replications", "100"}},
                   .start_title = "GPU cluster",
                   .start_text = "Two streams of jobs on rented GPUs; hosts and schedulers are in the palette.",
                   .fill = fill_cluster}};
  out.edge_kind = job_flow_between;
  out.names = names_of_cluster;
  out.lowering = rental_lowering;
  return out;
}

NotationSpec batch_notation() {
  NotationSpec out{.name = "cluster", .label = "Cluster", .help = ""};
  out.lowering = batch_lowering;
  return out;
}

}  // namespace ergode
