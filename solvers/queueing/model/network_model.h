#pragma once
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "core/base/element_id.h"
#include "core/base/unit.h"
#include "core/expression/program.h"
#include "core/expression/scope.h"
#include "core/expression/varying_law.h"
#include "core/plugin/plugin_station.h"
#include "core/random/distribution.h"
#include "solvers/queueing/model/arrival_process.h"

namespace ergode {

/// What all queueing diagrams of a model come to, with names resolved and texts compiled: const once it is lowered,
/// shared by the threads that simulate it and by the solvers that solve it. Times in s, rates in 1/s.
///
/// Nodes and classes are numbered in document order, over all diagrams. Where no class is drawn there is one, without a
/// name.
struct NetworkModel {
  static constexpr std::uint32_t none = ~std::uint32_t{0}, unlimited = none;
  /// Customers and tokens who may be there at one time, parts of customers included: some 100 bytes each.
  static constexpr std::uint32_t most_customers = 10'000'000;
  /// Servers of one station: far more than customers; who wants no limit draws a delay.
  static constexpr std::uint32_t most_servers = 1'000'000'000;
  /// Who come, go, are taken or are served together.
  static constexpr std::uint32_t most_at_once = 1'000'000;

  /// How long something takes (or how many there are): drawn, or worked out from slots, and from the attributes of the
  /// customer whom it concerns, at the moment it begins.
  struct Duration {
    bool drawn = true;
    Distribution law;              ///< [s]
    double mean_s = 0.0;           ///< of the law, or of the list
    Program value;                 ///< [s], where not drawn
    std::uint32_t list = none;     ///< number among `lists`, where times are taken one after the other; not drawn then
    std::uint32_t varying = none;  ///< number among `varying`, where the arguments of the law change; not drawn then
    /// Number among `processes`, a MAP, where each time is like those before it: `law` is then that of one time in the
    /// long run. Whoever takes draws for independent refuses it (KnownElements::times_with_memory).
    std::uint32_t process = none;
    bool given = false;  ///< Somebody wrote it: no patience given is endless, one of 0 s is none.
    /// `mean_s` is that of all times, or of those of a list.
    bool mean_known() const { return drawn || list != none; }
    bool always_zero() const { return drawn && law.family() == Distribution::Family::deterministic && mean_s == 0.0; }
  };

  /// Times that are taken one after the other, each by whoever is next.
  struct List {
    std::vector<double> time_s;  ///< at least one
    bool repeats = false;        ///< else it is an error when another is asked for
  };

  /// What each customer of some classes has by name. While an expression that concerns him is evaluated, its slot holds
  /// his value; else it means nothing.
  struct Attribute {
    std::string name;
    ValueType type;
    std::string unit;  ///< as declared
  };
  /// Where the value of an attribute comes from.
  struct AttributeLaw {
    enum class Whole : std::uint8_t { as_it_is, nearest, up };
    std::uint32_t attribute = 0;
    Duration value;                 ///< [SI]; of any sign
    Whole whole = Whole::as_it_is;  ///< how an integer is made of it
    bool chance = false;            ///< a boolean that is true with the probability `value`
    ElementId element;              ///< that declares it
    std::string property;           ///< of the element
  };
  /// What of a node reads attributes of customers.
  enum Reads : std::uint32_t {
    reads_in_times = 1U << 0U,
    reads_in_ways = 1U << 1U,
    reads_in_patience = 1U << 2U,
    reads_in_balking = 1U << 3U,
    reads_in_order = 1U << 4U,  ///< by the priority of customers
    reads_in_units = 1U << 5U,
    reads_in_values = 1U << 6U  ///< that it sets or observes
  };

  struct JobClass {
    ElementId element;  ///< null: of the class that nobody drew
    std::string name;
    std::uint32_t population = 0;  ///< > 0: closed, all at `reference` at time zero
    /// Node: who leaves it as one of this class ends a passage. None of open classes, and of those that are empty at
    /// time zero unless closed customers become them and they name one.
    std::uint32_t reference = none;
    long priority = 0;        ///< greater ones go first
    std::uint32_t level = 0;  ///< of all priorities that classes have, from 0 for the greatest
    Duration due;             ///< from birth to due date; not given: there is none
    bool ranked = false;      ///< `rank` is the priority instead, of each customer
    Program rank;
    std::vector<std::uint32_t> born;    ///< numbers among `attribute_laws`, in the order in which they are drawn
    std::vector<std::uint8_t> carries;  ///< by attribute: every customer of the class has it
  };

  /// Where a customer goes next. Probabilities that no slot enters are summed up once.
  struct Ways {
    std::vector<std::uint32_t> target;   ///< nodes
    std::vector<std::uint32_t> becomes;  ///< class on the way; by way
    std::vector<double> upto;            ///< cumulated probabilities, the last exactly 1; empty: they change
    std::vector<Program> probability;    ///< where they change
    std::vector<std::uint8_t> given;     ///< where they change: 0 shares what the others leave
    std::vector<std::uint32_t> count;    ///< by way: how many go it, where customers are split
    std::vector<ElementId> flow;         ///< by way: as which it is drawn
  };
  /// Who goes a way: those who are done, those whom a full or discouraging station turned away, those who gave up.
  enum class Leaving : std::uint8_t { done, refused, reneged };
  static constexpr std::size_t kinds_of_leaving = 3;

  enum class Kind : std::uint8_t {
    source,
    station,
    delay,
    router,
    sink,
    fork,        ///< a customer becomes as many as its flows say, which go on side by side
    join,        ///< waits for those of one customer, who then goes on
    semaphore,   ///< lets those of one customer pass when so many have come
    scaler,      ///< a join whose customer is split again at once
    logger,      ///< tells when customers pass
    seize,       ///< waits for units of a pool
    release,     ///< gives them back
    place,       ///< holds customers as tokens
    transition,  ///< takes tokens from places and sends them on
    plugin       ///< a station behind the plugin interface, in which it does what it wants
  };
  enum class Discipline : std::uint8_t {
    fcfs,
    lcfs,
    siro,     ///< in random order
    sjf,      ///< shortest job first, by the time as drawn
    ljf,      ///< longest
    sept,     ///< shortest expected processing time, by the mean of the class
    lept,     ///< longest
    edd,      ///< earliest due date
    lcfs_pr,  ///< last come, first served, preemptive
    srpt,     ///< shortest remaining processing time, preemptive
    polling,  ///< one server goes round the classes
    ps,       ///< all share the servers evenly
    dps,      ///< by the weights of customers
    gps,      ///< by the weights of classes
    las       ///< those who have got least
  };
  enum class Priorities : std::uint8_t { ignored, nonpreemptive, preemptive };
  /// What becomes of a service whose server is taken away.
  enum class Interruption : std::uint8_t { finish, resume, repeat, resample };
  enum class WhenFull : std::uint8_t { lose, block, block_before, retry };
  enum class Visit : std::uint8_t { exhaustive, gated, limited };  ///< how long a polling server stays
  enum class Routing : std::uint8_t {
    probabilities,
    random,          ///< all ways alike
    round_robin,     ///< one after the other
    shortest_queue,  ///< fewest customers, of equal ones any
    least_work,      ///< least service time left
    power_of_d,      ///< shortest of d chosen at random
    fastest,         ///< where he can expect to be done first
    last_response,   ///< where the last of his class stayed shortest, of equals any
    last_service     ///< where the last service of his class took least, of equals any
  };

  /// What a station does besides serving whoever is next, where it does.
  struct Rules {
    std::vector<Duration> patience;  ///< by class; not given: endless
    std::vector<double> weight;      ///< by class, > 0
    Duration setup, vacation, switchover, retry_after, to_failure, to_repair;
    bool one_vacation = false;   ///< then idle; else another, until somebody has come
    Program speed{1.0};          ///< of its servers
    Program balking{0.0};        ///< probability that one who comes turns round
    std::vector<double> speeds;  ///< of each server; empty: alike
    Visit visit = Visit::exhaustive;
    std::uint32_t limit = 1;                   ///< customers per visit
    std::uint32_t batch = 1, least_batch = 1;  ///< customers served at once
  };
  /// Bits of Node::features: what needs more than the plain way through a station.
  enum Feature : std::uint32_t {
    patient = 1U << 0U,  ///< customers give up
    sets_up = 1U << 1U,
    vacates = 1U << 2U,
    breaks_down = 1U << 3U,
    varies_speed = 1U << 4U,
    batches = 1U << 5U,
    polls = 1U << 6U,
    preempts = 1U << 7U,
    draws_first = 1U << 8U,  ///< service times are drawn at arrival
    balks = 1U << 9U,
    own_servers = 1U << 10U,     ///< servers are told apart
    may_block = 1U << 11U,       ///< some way from here leads to a station that blocks
    holds_before = 1U << 12U,    ///< ... before the service
    shares = 1U << 13U,          ///< ps, dps, gps
    by_attained = 1U << 14U,     ///< las
    keyed = 1U << 15U,           ///< its line is ordered by a key
    prioritises = 1U << 16U,     ///< classes have lines of their own
    in_regions = 1U << 17U,      ///< customers may come from a region or go to one
    lets_in = 1U << 18U,         ///< somebody may stand before it until there is room
    loses_units = 1U << 19U,     ///< customers may lose units of a pool here, and their server with them
    tells_stays = 1U << 20U,     ///< somebody asks how long the last of a class stayed
    tells_services = 1U << 22U,  ///< somebody asks how long the last service of a class took
    takes_away = 1U << 21U,      ///< servers become fewer, and whoever loses his is interrupted
    raises_events = 1U << 23U    ///< charts hear of those who come or go
  };

  /// What must be in a place, or must not, for a transition to be enabled.
  struct Arc {
    std::uint32_t place = 0;
    std::uint32_t of_class = none;  ///< none: of any class
    std::uint32_t count = 1;
    /// Of one that takes, how many must be there for it to take once: besides its own, where it takes of any class,
    /// those whom others of the same transition take from the same place.
    std::uint32_t needs = 1;
  };
  /// A flow from a place to a transition that takes.
  struct DrawnArc {
    Arc arc;
    ElementId flow;
  };
  /// Marsan, Balbo, Conte, Donatelli and Franceschinis, Modelling with Generalized Stochastic Petri Nets, 1995.
  struct Transition {
    /// `takes`: one for each place and class; of one place that of any class is the last.
    std::vector<Arc> takes, inhibitors;
    bool immediate = false;
    double weight = 1.0;          ///< of immediate ones of equal priority
    long priority = 0;            ///< of immediate ones: greater first
    std::vector<DrawnArc> drawn;  ///< what `takes` is made of, flow by flow
  };
  /// For how many parts of one customer a join or a scaler waits, or after how many a semaphore opens.
  struct Quorum {
    std::uint32_t count = 0;              ///< of any class; 0: of all that may come, unless `of_class` asks for some
    std::vector<std::uint32_t> of_class;  ///< of the parts, by class, at least; empty: whichever they are
    bool own = false;                     ///< said of one class of customers only
    bool of_all() const { return count == 0 && of_class.empty(); }
  };
  /// Units that customers hold from a seize to a release.
  struct Pool {
    ElementId element;
    std::string name;
    Program units{1.0};
    std::uint32_t reader = none;
    bool preempts = false;                                         ///< some seize takes units from those who hold them
    std::uint32_t free = 0, busy = 0, waiting = 0, preempted = 0;  ///< slots
  };
  /// So many customers at most are in the stations of a region.
  struct Region {
    ElementId element;
    std::string name;
    std::uint32_t capacity = unlimited;
    std::vector<std::uint32_t> capacity_of;           ///< by class
    std::vector<std::uint8_t> loses;                  ///< by class: who finds it full; else he waits before it
    std::uint32_t number = 0, waiting = 0, lost = 0;  ///< slots
    /// Slots of the first class, the others follow; none: one class. Of `number` by the class as which they came in.
    std::uint32_t number_of_class = none, waiting_of_class = none, lost_of_class = none;
    std::uint32_t wait = 0, response = 0;  ///< streams: before it, and from coming in to leaving it
    std::uint32_t residence = none;        ///< stream: inside it in all stays of one passage [s]
  };

  /// What stands in a plugin station.
  struct Plugin {
    const StationPlugin* what = nullptr;  ///< null: it is not here, and the model cannot run
    PluginValues values;
    /// A truth: while it is false the station's clock stands. Node::reader is woken when it may have changed.
    Program up{1.0};
    bool loses = false;  ///< those inside when it goes down, and those who come until it is up
    // By attribute of its manifest.
    std::vector<std::uint32_t> attribute;  ///< number among `attributes`; none: customers have none of this name
    std::vector<double> attribute_scale;   ///< SI value of what the plugin counts in
    // By output.
    std::vector<std::uint32_t> stream;
    std::vector<double> output_scale;  ///< SI value of its unit
    std::shared_ptr<LastStationRecord> record = std::make_shared<LastStationRecord>();
  };

  struct Node {
    ElementId element;
    std::string name;
    Kind kind = Kind::station;
    Discipline discipline = Discipline::fcfs;
    Priorities priorities = Priorities::nonpreemptive;
    Interruption interruption = Interruption::finish;
    WhenFull when_full = WhenFull::lose;
    Routing routing = Routing::probabilities;
    std::uint32_t features = 0;
    std::uint32_t choices = 2;           ///< d of power_of_d
    std::uint32_t capacity = unlimited;  ///< customers, those served included
    std::uint32_t emits = 0;             ///< of a source: class; of a place: of its tokens at time zero
    std::uint32_t pool = none;           ///< of a seize and a release
    std::uint32_t units = 0;             ///< that are seized or released; 0: all that he holds
    std::uint32_t tokens = 0;            ///< of a place at time zero
    std::uint32_t region = none;         ///< of a station or a delay
    std::uint32_t transition = none;     ///< number among `transitions`
    std::uint32_t process = none;        ///< of a source: number among `processes`; none: gaps or a rate
    std::vector<Duration> time;          ///< by class: service, stay; of a source one: the gap
    Duration batch;                      ///< of a source: how many come at once
    bool batched = false;
    std::vector<Ways> ways;              ///< by class; none: nobody of it comes here, or nobody leaves
    std::vector<Ways> refused, reneged;  ///< by class; empty: they leave the network
    Program servers;                     ///< of a station
    Program rate;                        ///< of a source that has one instead of a gap [1/s]
    bool has_rate = false;
    double rate_bound = -1.0;           ///< of a rate that changes between events [1/s]; < 0: it does not
    std::uint32_t reader = none;        ///< SlotTable::wake(): of servers, of rate
    std::uint32_t speed_reader = none;  ///< of the speed
    std::uint32_t rules = none;         ///< number among `rules`; none: a plain station
    /// Of a station or delay: events that charts hear, see SlotTable::events; none: nobody is told.
    std::uint32_t loss_event = none, arrival_event = none, departure_event = none;
    /// Slots: number, waiting, busy, lost, gave_up and blocked of a station; number of a delay, emitted of a source,
    /// arrived and late of a sink.
    std::uint32_t number = 0, waiting = 0, busy = 0, lost = 0, gave_up = 0, blocked = 0, late = 0;
    std::uint32_t servers_now = 0;  ///< slot of a station: how many it has
    std::uint32_t of_class = none;  ///< slot of the number of the first class here, the others follow; none: one class
    /// Streams: of a station and a delay; of a sink `response` is the time in the system.
    std::uint32_t response = 0, wait = 0;
    std::uint32_t busy_of_class = none;  ///< likewise of servers that serve it; none: one class, or no station
    /// Likewise of those of `waiting`, `lost`, `gave_up`, `blocked`.
    std::uint32_t waiting_of_class = none, lost_of_class = none, gave_up_of_class = none, blocked_of_class = none;
    std::uint32_t residence = none;  ///< stream of a station and a delay: all visits of one passage together [s]
    // What few nodes have stands behind: others are faster to walk.
    std::uint32_t reads = 0;            ///< bits of Reads
    std::vector<std::uint32_t> born;    ///< of a source: numbers among `attribute_laws`
    std::vector<std::uint32_t> sets;    ///< of a router: likewise, of who passes, one after the other
    std::vector<Quorum> quorums;        ///< of a join, scaler, semaphore: by class of the customer who was split
    Program value;                      ///< of a logger that observes one [SI]
    std::uint32_t value_stream = none;  ///< of a logger: where it goes
    Program units_by;                   ///< instead, where `reads` says so: of each customer
    bool preempts = false;              ///< a seize that takes units from holders of lower priority
    std::uint32_t plugin = none;        ///< number among `plugins`
    std::uint32_t handover = none;      ///< of a source of jobs: place in SlotTable::handovers
    std::vector<std::uint32_t> taken;   ///< numbers among `attributes`, in the order in which jobs bring them
    bool has(std::uint32_t feature) const { return (features & feature) != 0; }
    /// Customers come and go in one moment, by a way of their class.
    bool passes() const { return kind == Kind::router || kind == Kind::logger; }
    const std::vector<Ways>& ways_of(Leaving leaving) const {
      return leaving == Leaving::done ? ways : leaving == Leaving::refused ? refused : reneged;
    }
    std::vector<Ways>& ways_of(Leaving leaving) {
      return leaving == Leaving::done ? ways : leaving == Leaving::refused ? refused : reneged;
    }
  };

  struct Diagram {
    ElementId element;
    std::string name;
  };
  std::vector<Diagram> diagrams;  ///< that hold nodes
  std::vector<JobClass> classes;
  std::vector<Node> nodes;
  std::vector<Rules> rules;
  std::vector<ArrivalProcess> processes;
  std::vector<List> lists;
  std::vector<Transition> transitions;
  std::vector<Pool> pools;
  std::vector<Region> regions;
  std::vector<Plugin> plugins;
  std::uint32_t levels = 1;  ///< different priorities of classes
  Unit time_unit;            ///< in which messages tell times and rates
  std::vector<Attribute> attributes;
  std::vector<AttributeLaw> attribute_laws;
  std::vector<VaryingLaw> varying;
  std::uint32_t attribute_slot = 0;  ///< of the first attribute, the others follow; where there are any
  bool ranked = false;               ///< the priorities of some customers are their own: no levels then
  /// Streams of passages [s], see RunningNetwork: from end to end, and what of it customers wait; none: something drawn
  /// is called like the system.
  std::uint32_t system_response = none, system_wait = none;
};

}  // namespace ergode
