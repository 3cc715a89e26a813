#pragma once
#include <bit>
#include <cstdint>
#include <memory>
#include <vector>

#include "core/plugin/plugin_station.h"
#include "core/random/random_stream.h"
#include "solvers/queueing/model/network_model.h"
#include "solvers/queueing/running/counted_exponentials.h"
#include "solvers/queueing/running/heap.h"
#include "solvers/queueing/running/least_attained.h"
#include "solvers/queueing/running/shared_servers.h"
#include "solvers/queueing/running/waiting_line.h"

namespace ergode {

/// What a running network keeps of each customer, node and limit, with how it is saved.
struct NetworkRecords {
  using Node = NetworkModel::Node;
  static constexpr std::uint32_t none = NetworkModel::none;
  struct alignas(64) Customer {
    double born_s = 0.0, came_s = 0.0;  ///< into the network, to where he is
    double left_s = -1.0;               ///< of his service; < 0: not drawn yet
    double whole_s = 0.0;               ///< of his service as it was drawn
    double due_s = 0.0;                 ///< infinity: never
    std::uint32_t of_class = 0;
    std::uint32_t twice = 0;    ///< stamp(), and whether begun()
    std::uint32_t next = none;  ///< of those who are free, or of those served in one batch
    std::uint32_t goes_to = none;
    std::uint32_t split = none;  ///< number among splits_, of one of several that were one customer
    /// In the region that he is in, of the class as which he came in: region * classes + class.
    std::uint32_t region_place = none;
    /// Changes when he leaves a line: what was set up for him there has lapsed.
    std::uint32_t stamp() const { return twice >> 1U; }
    void outdate() { twice += 2; }
    /// His service here has; it may be interrupted since.
    bool begun() const { return (twice & 1U) != 0; }
    void is_served(bool begun) { twice = (twice & ~1U) | static_cast<std::uint32_t>(begun); }
    template <typename Archive>
    void archive(Archive& a) {
      a(born_s, came_s, left_s, whole_s, due_s, of_class, twice, next, goes_to, split, region_place);
    }
  };
  struct Move {
    std::uint32_t customer = 0, node = 0;
    template <typename Archive>
    void archive(Archive& a) {
      a(customer, node);
    }
  };
  enum class Doing : std::uint8_t { service, setup, vacation, switchover };
  /// What a server does: until when, by the clock of the station, and for whom. Sixteen bytes, so that four that a heap
  /// compares lie in one line of the caches.
  class Served {
   public:
    Served() = default;
    /// @param order  of two with one end who began first is done first, up to 2^40 of them in one history
    Served(double until, std::uint64_t order, std::uint32_t customer)
        : until_s(until), who_(order << customer_bits | customer) {}
    /// For no customer.
    Served(double until, std::uint64_t order, Doing doing)
        : Served(until, order, nobody - static_cast<std::uint32_t>(doing)) {}
    double until_s = 0.0;
    std::uint64_t order() const { return who_ >> customer_bits; }
    /// none: it is for no customer
    std::uint32_t customer() const { return number() > nobody - doings ? none : number(); }
    Doing doing() const { return number() > nobody - doings ? static_cast<Doing>(nobody - number()) : Doing::service; }
    bool operator==(const Served&) const = default;
    // Bits of a time >= 0 sort as the time does; with the order in one number, nothing has to be guessed ahead.
    bool operator>(const Served& other) const { return rank() > other.rank(); }
    template <typename Archive>
    void archive(Archive& a) {
      a(until_s, who_);
    }

   private:
    static constexpr unsigned customer_bits = 24;
    static constexpr std::uint32_t nobody = (1U << customer_bits) - 1, doings = 4;
    static_assert(NetworkModel::most_customers <= nobody - doings);
    __extension__ using Rank = unsigned __int128;
    Rank rank() const { return static_cast<Rank>(std::bit_cast<std::uint64_t>(until_s)) << 64U | who_; }
    std::uint32_t number() const { return static_cast<std::uint32_t>(who_) & nobody; }
    std::uint64_t who_ = 0;
  };
  enum class Alarm : std::uint8_t { gives_up, comes_again, fails, is_repaired };
  struct Alarmed {
    double at_s = 0.0;
    std::uint64_t order = 0;
    std::uint32_t who = 0, stamp = 0;  ///< customer, or server
    std::uint8_t what = 0;
    bool operator>(const Alarmed& other) const { return at_s != other.at_s ? at_s > other.at_s : order > other.order; }
    template <typename Archive>
    void archive(Archive& a) {
      a(at_s, order, who, stamp, what);
    }
  };
  /// Somebody who stands before a full station.
  struct Outside {
    std::uint32_t customer = 0;
    std::uint32_t holds = none;  ///< node whose server he keeps meanwhile
    std::uint32_t as = 0;        ///< of which class he is there
    std::uint8_t before = 0;     ///< his service there has not begun
    template <typename Archive>
    void archive(Archive& a) {
      a(customer, holds, as, before);
    }
  };
  /// A customer who was split, and those he was split into.
  struct Split {
    double since_s = 0.0;
    std::uint32_t whole = none;  ///< the customer; none: he has gone on already
    std::uint32_t of_class = 0;  ///< of the customer
    std::uint32_t left = 0;      ///< parts that have not come to a join and may still
    std::uint32_t come = 0;      ///< parts that have
    std::uint32_t at = none;     ///< join to which the last of them came
    std::uint32_t gates = none;  ///< first of its gates, linked by Gate::next
    std::uint32_t next_free = none;
    std::uint8_t scattered = 0;  ///< they came to several joins: counted at gates
    std::uint32_t depth = 0;     ///< splits before it at one moment, each of a part of the one before; not kept longer
    template <typename Archive>
    void archive(Archive& a) {
      a(since_s, whole, of_class, left, come, at, gates, next_free, scattered);
    }
  };
  /// Parts of one split at one semaphore, or at one of the several joins that they came to: each counts its own.
  struct Gate {
    std::uint32_t node = none;
    std::uint32_t held = none, count = 0;  ///< the last one who waits, linked by Customer::next; and how many do
    std::uint8_t passed = 0;               ///< enough have come: whoever comes later passes
    std::uint32_t next = none;             ///< of the same split, or of those that are free
    template <typename Archive>
    void archive(Archive& a) {
      a(node, held, count, passed, next);
    }
  };
  /// What regions and pools keep.
  struct Crowd {
    Ring<Move> line;  ///< customers who wait, and where they want to go
    std::uint32_t inside = 0;
    std::vector<std::uint32_t> of_class;
    std::vector<std::uint32_t> holders;  ///< of a pool whose units may be taken away, in the order of getting them
    template <typename Archive>
    void archive(Archive& a) {
      a(line, inside, of_class, holders);
    }
  };
  /// What is known of units that may be taken away, by customer and pool.
  struct Holding {
    std::uint32_t lost = 0;     ///< units that were, and that he waits for
    std::uint32_t node = none;  ///< where he got them
    template <typename Archive>
    void archive(Archive& a) {
      a(lost, node);
    }
  };
  /// A plugin station in a history, and its clock, which shows how long it has been up since it began.
  struct PluginHere {
    std::unique_ptr<PluginStation> station{};  ///< made when the first replication begins
    bool up = true;
    double away_s = 0.0;                     ///< what the world's clock shows more, while it goes
    double shows_s = 0.0;                    ///< when it was looked at last
    double due_s = PluginStation::never;     ///< by it: when the plugin wants to go on
    std::uint64_t lives = 0;                 ///< begun before this one
    std::uint32_t idle_calls = 0;            ///< at one moment, without anybody leaving
    std::vector<std::uint32_t> held_back{};  ///< who came while it stood
    StationRecord record{};                  ///< of this history
  };
  /// Who is taken by other parts of the model, and with which of his attributes.
  struct HandedOver {
    std::uint32_t sink = none, handover = 0;
    std::vector<std::uint32_t> columns;
  };
  enum class ServerIs : std::uint8_t { idle, busy, down, going_down };
  /// What its timer stands for.
  enum class WhenDue : std::uint8_t { done_plainly, emit_plainly, emit, done, fire, advance };
  /// What plain events read of a node: the model's own is twelve lines of the caches and lies apart from its state.
  struct Brief {
    std::uint32_t number = 0, waiting = 0, busy = 0;  ///< slots, as of the node
    std::uint32_t response = 0;                       ///< stream
    union {
      std::uint32_t wait = 0;  ///< stream
      std::uint32_t emits;     ///< class, of a source
    };
    std::uint32_t capacity = NetworkModel::unlimited;
    WhenDue when_due = WhenDue::done;
    bool plain = false;  ///< a station or a delay without rules of its own, where nobody gives up
    bool station = false;
    bool in_order = false;  ///< FCFS
    bool router = false;
    bool exponential : 1 = false;  ///< all times are, or are not drawn
    bool by_rate : 1 = false;      ///< of a source: `pace` is one
    bool told : 1 = true;          ///< of its counts somebody hears: see RunningNetwork::note_wanted()
    bool by_class = false;         ///< there are slots of single classes
    bool noted = false;  ///< somebody wants to know how long customers stay or wait: see RunningNetwork::note_wanted()
  };
  /// The ways of a class from a node.
  struct WaysOf {
    std::uint32_t first = 0;  ///< among fixed_ways_
    std::uint32_t count = 0;  ///< of them; 0: they are not fixed, or not chosen by probabilities
  };
  struct FixedWay {
    double upto = 1.0;  ///< cumulated probability
    std::uint32_t target = 0, becomes = 0;
  };
  /// What plain events read of a class at a node.
  struct OfClass {
    /// Mean of an exponential time [s], or rate of a source [1/s]; < 0: it is something else.
    double pace = -1.0;
    WaysOf ways;
  };
  /// A node. Each line of the caches is of one occasion, because a large network waits for every line that it reads:
  /// somebody comes or goes (the first two), a time is drawn (the third), one of several ways is taken (the fourth).
  struct alignas(64) State {
    Brief brief;
    std::uint32_t present = 0, waiting = 0;
    std::uint32_t working = 0;  ///< servers that serve; of the others in `served` nobody gets anything
    std::uint32_t servers = 0;
    Heap<Served> served;  ///< the first to be done on top, which begins the second line
    WaitingLine line;     ///< where there is one level only
    double pace = -1.0;   ///< OfClass::pace of the first class
    /// Where all of the first class go, and as what: neither drawn nor changed. none: there is not one way.
    std::uint32_t only_target = none, only_becomes = 0;
    CountedExponentials units;  ///< of the stream `times`, where nothing else is drawn from it: the third line
    double next_way = -1.0;     ///< drawn of `ways_stream` ahead of need; < 0: it is not
    RandomStream ways_stream;
    WaysOf ways;  ///< of the first class
    FixedWay first_way;
    // Four lines until here.
    RandomStream times;
    RandomStream choices;
    std::uint32_t of_class = none, busy_of_class = none, waiting_of_class = none;  ///< slots, as of the node
    std::uint32_t held = 0;  ///< servers kept by customers who cannot go on
    std::uint32_t down = 0;
    std::uint32_t more = none;    ///< number among more_; none: a plain station
    double last_s = 0.0;          ///< of a logger: when somebody passed
    ArrivalProcess::Place place;  ///< of a source whose gaps have memory
    template <typename Archive>
    void archive(Archive& a) {
      a(served, line, present, waiting, working, held, down, servers, last_s, place);
    }
  };
  static_assert(sizeof(Brief) == 32 && sizeof(Heap<Served>) == 32 && sizeof(WaitingLine) == 32 &&
                sizeof(CountedExponentials) == 64 && sizeof(WaysOf) == 8 && sizeof(FixedWay) == 16 &&
                sizeof(State) == 384);
  /// What stations with rules of their own keep besides.
  struct More {
    std::vector<WaitingLine> lines;   ///< by level of priority, or by class where a server polls; else unused
    std::vector<std::uint32_t> live;  ///< customers in them
    Heap<Alarmed> alarms;
    Ring<Outside> outside;  ///< in the order in which they came
    std::vector<std::uint8_t> server_is;
    std::vector<std::uint32_t> server_has;  ///< customer whom each server that works serves, where they are told apart
    SharedServers shared;
    LeastAttained attained;
    double clock_s = 0.0, since_s = 0.0, speed = 1.0;  ///< its own time, where speed varies or servers are shared
    std::uint32_t setting_up = 0, at = 0, taken = 0, gate = 0, turn = 0;
    std::uint32_t alarm_timer = none;
    double waiting_work_s = 0.0;         ///< of those in line, where it is drawn at arrival
    std::uint32_t in_batches = 0;        ///< customers who are served together with one who is counted as working
    std::vector<double> last_stay_s;     ///< by class, of who left last; 0: nobody has. Where it is asked for
    std::vector<double> last_service_s;  ///< likewise, of whose service ended last, from its beginning on
    template <typename Archive>
    void archive(Archive& a) {
      a(lines, live, alarms, outside, server_is, server_has, shared, attained, clock_s, since_s, speed, setting_up, at,
        taken, gate, turn, waiting_work_s, in_batches, last_stay_s, last_service_s);
    }
  };
};

}  // namespace ergode
