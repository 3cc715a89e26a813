#pragma once
#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <unordered_map>
#include <utility>
#include <vector>

#include "core/base/huge_pages.h"
#include "core/des/running_part.h"
#include "core/random/random_stream.h"
#include "solvers/queueing/model/network_model.h"
#include "solvers/queueing/running/network_records.h"

namespace ergode {

/// Queueing networks as part of a history. A timer of the world for every node: of a source for the next customer, of
/// a station or a delay for the first of those served to be done, the others waiting in a heap behind it; and one more
/// for a station whose customers give up, come again, or whose servers fail, with a heap of these alarms behind it. So
/// one event costs O(log customers served there), whatever waits and however many nodes there are.
///
/// Random streams: of each node one for gaps or times, one for ways (which a node with one way never asks), one for
/// whom it chooses in random order and all else; a station that is added leaves the others' draws as they were.
///
/// When a service ends, the customer leaves the station, the next one there begins, and then the customer arrives
/// where he goes, all in one moment; those who had to wait outside for room come in after that.
class RunningNetwork : public RunningPart, private NetworkRecords {
 public:
  RunningNetwork(const NetworkModel& model, World& world, std::uint64_t seed);
  std::uint32_t first_timer() const override { return first_; }
  void start(std::uint64_t replication) override;
  void heed(const std::function<bool()>& give_up) override { give_up_ = give_up; }
  void fire(std::uint32_t timer) override;
  bool settle() override;
  void woken(std::uint32_t reader) override;
  void save(ByteWriter& into) const override;
  void restore(ByteReader& from, std::uint64_t path) override;
  void waiting(std::vector<Waiting>& out) const override;
  void active(std::set<ElementId>& out) const override;
  void present(std::vector<Present>& out) const override;
  void end(double end_s) override;

 private:
  /// @name What happens to a customer (customer_moves.cpp)
  /// @{
  void emit(std::uint32_t node);
  /// @param job  what he was before, see born_at(); null: nothing
  void send_out(std::uint32_t node, std::uint32_t of_class, const double* job);
  void emit_one(std::uint32_t node, const double* job);
  /// Jobs that are handed over become customers. @returns whether any did
  bool take_jobs();
  void arrive_at_sink(std::uint32_t customer, const Node& sink);
  std::uint32_t first_of_line(State& state);
  void arrive(std::uint32_t customer, std::uint32_t node);
  void enter(std::uint32_t customer, std::uint32_t node);
  void pass_through(std::uint32_t customer, std::uint32_t node);
  void take_in(std::uint32_t customer, std::uint32_t node);
  /// Goes where those go who are turned away or give up, or leaves the network.
  void turn_away(std::uint32_t customer, std::uint32_t node, NetworkModel::Leaving why);
  void leave_station(std::uint32_t customer, std::uint32_t node);
  void leave_network(std::uint32_t customer);
  void finish(std::uint32_t customer, std::uint32_t node);
  bool full(std::uint32_t node) const { return states_[node].present >= states_[node].brief.capacity; }
  /// The station, delay or sink at which he comes out, through routers; he becomes on the way what he becomes.
  std::uint32_t destination(std::uint32_t customer, std::uint32_t node);
  void let_in(std::uint32_t node);
  void free_again(std::uint32_t node);
  /// Moves that were put off until what happened is done with.
  void follow_up() {
    if (!room_.empty() || !moves_.empty() || !turned_away_.empty() || net_changed_) follow_up_moves();
  }
  void follow_up_moves();
  /// One more of very many who may be made, or move, at one moment: now and then it asks whether to go on.
  /// @throws GivenUp
  void one_of_many() {
    constexpr std::uint32_t between_looks = 4096;
    if (++many_ % between_looks == 0) [[unlikely]]
      if (give_up_ && give_up_()) throw GivenUp{};
  }
  /// One more who is there at time zero.
  void begin_with_one_more();
  std::uint32_t new_customer(std::uint32_t of_class);
  std::uint32_t one_more();
  /// He is in no region any more and holds no units.
  void give_up_limits(std::uint32_t customer);
  /// @param source  where he is born; none: nowhere
  /// @param job     what he was before: when it was born, and what the source takes of it; null: none
  std::uint32_t born_at(std::uint32_t of_class, std::uint32_t source, const double* job = nullptr) {
    const std::uint32_t out = new_customer(of_class);
    if (job != nullptr) customers_[out].born_s = *job;
    if (width_ != 0) [[unlikely]]
      give_attributes(out, source, job);
    return out;
  }
  double due_of(std::uint32_t of_class);
  void become(std::uint32_t customer, std::uint32_t of_class) {
    if (width_ != 0) [[unlikely]]
      gain_attributes(customer, of_class);
    if (!one_class_) customers_[customer].of_class = of_class;
  }
  /// @}

  /// @name Stays in all visits of a passage, what customers wait in it, and the whole of it (customer_moves.cpp);
  /// nothing where nobody asks. A passage: from birth to a sink, or from leaving the reference to leaving it next; the
  /// whole of it lasts, where the reference is a delay, until he comes there. What parts stay and wait before they meet
  /// is of their customer.
  /// @{
  void note_stays_wanted();
  bool ends_or_counts_stays(std::uint32_t node) const;
  double* stays_of(std::uint32_t customer) { return &stays_s_[std::size_t{customer} * stay_streams_.size()]; }
  void begin_passage(std::uint32_t customer, bool part = false);
  /// He leaves a node where he has been since `came_s`.
  void note_stay(std::uint32_t customer, std::uint32_t node);
  /// @param lasted_s  the whole of it
  void end_passage(std::uint32_t customer, double lasted_s);
  /// His waiting is over, wherever it was: at a station, before a region, for units.
  void note_wait(std::uint32_t customer, double waited_s) {
    if (wait_column_ != none) [[unlikely]]
      stays_of(customer)[wait_column_] += waited_s;
  }
  void share_stays(std::uint32_t part, std::uint32_t whole);
  /// Of a region, up to now (shared_limits.cpp).
  void note_stay_inside(std::uint32_t customer);
  /// @}

  /// @name Attributes (attributes.cpp); nothing where the model has none
  /// @{
  void prepare_attributes(std::uint64_t seed);
  /// What is evaluated from here on concerns this customer.
  void regard(std::uint32_t customer);
  /// One value of a time, whether drawn or worked out; of any sign, not checked.
  double worked_out(const NetworkModel::Duration& time, RandomStream& stream, ElementId asks, const std::string& name);
  void draw_attribute(std::uint32_t customer, std::uint32_t law);
  void give_attributes(std::uint32_t customer, std::uint32_t source, const double* job);
  void take_of_job(std::uint32_t customer, std::uint32_t attribute, double value);
  void emit_with_attributes(std::uint32_t source, const double* job);
  void share_attributes(std::uint32_t whole, std::uint32_t part);
  /// Before he becomes another.
  void gain_attributes(std::uint32_t customer, std::uint32_t becomes);
  void set_attributes(std::uint32_t customer, const Node& node);
  double& attribute_of(std::uint32_t customer, std::uint32_t column) {
    return attributes_[std::size_t{customer} * width_ + column];
  }
  /// Works out his priority, for rank_of().
  void find_rank(std::uint32_t customer);
  /// Who goes first: the least.
  double rank_of(std::uint32_t customer) {
    return model_.ranked ? attribute_of(customer, rank_at_)
                         : static_cast<double>(model_.classes[customers_[customer].of_class].level);
  }
  std::uint32_t units_wanted(std::uint32_t customer, const Node& node);
  /// He goes on in another part of the model, if anybody takes those who come to this sink.
  void hand_over(std::uint32_t customer, const Node& sink);
  [[noreturn]] void too_many();
  /// @}

  /// @name Stations without rules of their own (plain_stations.h, running_network.cpp)
  /// @{
  void prepare_plain_events();
  bool emits_plainly(const Node& source) const;
  /// Asks once for a history at which plain nodes somebody wants to know how long customers stay: elsewhere it is not
  /// kept when they came, so that they need not be looked at. Who listens does so before the history begins.
  void note_wanted();
  /// Whether he still does, who stands there in a line.
  bool waits(const WaitingLine::Place& place, const State& state) const {
    return state.brief.plain || customers_[place.customer].stamp() == place.stamp;  // else he gave up
  }
  double uniform_of_way(State& state) {
    return state.next_way < 0.0 ? state.ways_stream.uniform() : std::exchange(state.next_way, -1.0);
  }
  static constexpr std::uint32_t few_ways = 16;
  /// Of a few, by that number, which is beyond the first.
  const FixedWay& later_way(const WaysOf& its, double uniform) const {
    const FixedWay* way = &fixed_ways_[its.first + 1];
    while (uniform >= way->upto) ++way;  // the last is 1, and the number is below
    return *way;
  }
  void fetch_ahead();
  void fetch_who_goes(std::uint32_t node);
  void fetch_where(std::uint32_t node);
  /// Where whoever goes next from there goes; none: it is not known before.
  std::uint32_t coming_target(std::uint32_t node);
  void take_in_plainly(std::uint32_t customer, std::uint32_t node);
  /// He is served from now on: what is to be put among those who are.
  Served taken_up(std::uint32_t customer, std::uint32_t node, State& state);
  void done_plainly(std::uint32_t node);
  void emit_plainly(std::uint32_t node);
  /// Its timer goes off then; infinity: it does not.
  void await(std::uint32_t node, double at_s) {
    world_.timers.schedule(first_ + node, at_s);
    if (large_) fetch_ahead();
  }
  void tell_plain_counts(const State& state);
  void count_plainly(std::uint32_t of_first, std::uint32_t of_class, double change) {
    if (of_first != none) [[unlikely]]
      world_.set(of_first + of_class, world_.slots()[of_first + of_class] + change);
  }
  /// @}

  /// @name Servers (service.cpp)
  /// @{
  void line_up(std::uint32_t customer, std::uint32_t node, bool first);
  /// Takes the next one of a level out; somebody waits there.
  std::uint32_t next_of_line(std::uint32_t node, std::uint32_t level);
  std::uint32_t level_of(const Node& node, std::uint32_t of_class) const;
  WaitingLine& line_of(State& state, std::uint32_t level);
  /// The first level at which somebody waits.
  std::uint32_t first_level(const State& state) const;
  /// A customer's service begins; whoever calls sets the timer afterwards.
  void begin(std::uint32_t customer, std::uint32_t node);
  void begin_batch(std::uint32_t node, std::uint32_t level);
  /// Servers that are free take those who wait. @param warm  one of them needs no set-up
  void look_for_work(std::uint32_t node, bool warm);
  bool poll(std::uint32_t node);
  void occupy(std::uint32_t node, Doing doing, const NetworkModel::Duration& law);
  void server_freed(std::uint32_t node, std::uint32_t server);
  /// Who serves him, where they are told apart. O(servers)
  static std::uint32_t server_of(const More& more, std::uint32_t customer);
  void done(std::uint32_t node);
  void after_service(std::uint32_t node);
  bool preempts(std::uint32_t customer, std::uint32_t node);
  void interrupt(std::uint32_t node, std::size_t place);
  /// A service ends before its time; what is left of it is known. @returns whose
  std::uint32_t stop_service(std::uint32_t node, std::size_t place);
  /// He is not among those who wait any more.
  void leave_line(std::uint32_t node, std::uint32_t customer);
  std::uint32_t idle(const State& state) const {
    const auto taken = static_cast<std::uint32_t>(state.served.size()) + state.held + state.down;
    return state.servers > taken ? state.servers - taken : 0;
  }
  /// The station's own time: that of the world, where its speed does not vary.
  double clock(const Node& node, const State& state) const;
  void pass_time(const Node& node, State& state);
  /// Of one who is served: his work that is not done [s at speed 1]; time has passed up to now.
  double work_left(const Node& node, const State& state, const Served& one) const;
  double work_of(const Node& node, State& state, std::uint32_t customer);
  /// @param customer  whom it concerns
  double duration(const Node& node, State& state, const NetworkModel::Duration& time, std::uint32_t customer = none);
  /// The timer of a station stands at the first to be done.
  void await_done(std::uint32_t node);
  void await_customer(std::uint32_t node);
  double rate_of(const Node& source) const;
  void allot(std::uint32_t node);
  std::uint32_t servers_of(const Node& node) const;
  /// Of a station: works out how many servers it has now, and tells.
  void count_servers(const Node& node, State& state);
  double speed_of(const Node& node) const;
  void tell_counts(const Node& node, const State& state);
  void count_class(const Node& node, std::uint32_t of_class, double change) {
    count_plainly(node.of_class, of_class, change);
  }
  void count_busy(const Node& node, std::uint32_t of_class, double change) {
    count_plainly(node.busy_of_class, of_class, change);
  }
  void count_waiting(const State& state, std::uint32_t customer, double change) {
    if (state.brief.by_class) [[unlikely]]
      count_plainly(state.waiting_of_class, customers_[customer].of_class, change);
  }
  void count_both(std::uint32_t slot, std::uint32_t of_first, std::uint32_t of_class, double change) {
    world_.set(slot, world_.slots()[slot] + change);
    count_plainly(of_first, of_class, change);
  }
  void open();
  void open_pools_and_places();
  void start_more(std::uint32_t node);
  /// What readers were woken for at this moment, once charts have come to rest. @returns whether there was something
  bool heed_changes();
  void heed_change(std::uint32_t reader);
  void take_servers_away(std::uint32_t node);
  /// The next of a list; RUN002 where it is at its end.
  double next_of(const NetworkModel::Duration& time, ElementId asks, const std::string& name);
  double next_of_process(std::uint32_t process, RandomStream& stream);
  /// By the stream of choices: all times that are not services.
  double drawn_or_worked_out(const Node& node, State& state, const NetworkModel::Duration& time,
                             std::uint32_t customer = none);
  /// @}

  /// @name Splitting and joining (fork_join.cpp)
  /// @{
  void split(std::uint32_t customer, std::uint32_t node);
  void join(std::uint32_t customer, std::uint32_t node);
  void pass_semaphore(std::uint32_t customer, std::uint32_t node);
  /// A part has left the network otherwise: nobody waits for it.
  void part_is_gone(std::uint32_t split);
  /// Whether those who have come are those for whom the join waits.
  bool enough_come(std::uint32_t split, const Node& join) const;
  void go_on_as_one(std::uint32_t split);
  /// Nobody belongs to it any more.
  void forget(std::uint32_t split);
  /// Where those of one split are counted at a semaphore or join; made where nobody has come there yet.
  Gate& gate_of(std::uint32_t split, std::uint32_t node);
  /// Calls `tell(join, parts)` for each join at which parts of a split stand.
  template <class Tell>
  void at_joins(const Split& split, const Tell& tell) const {
    if (split.scattered == 0) return tell(split.at, split.come);
    for (std::uint32_t g = split.gates; g != none; g = gates_[g].next)
      if (model_.nodes[gates_[g].node].kind != NetworkModel::Kind::semaphore) tell(gates_[g].node, gates_[g].count);
  }
  void vanish(std::uint32_t customer);
  /// @}

  /// @name Regions and pools (shared_limits.cpp)
  /// @{
  bool may_enter(const Crowd& crowd, const NetworkModel::Region& region, std::uint32_t of_class) const;
  /// @returns whether he may go in; else he waits before it or is gone.
  bool enter_region(std::uint32_t customer, std::uint32_t node);
  void leave_region(std::uint32_t customer);
  /// Somebody of his class is inside from now on.
  void take_place(std::uint32_t customer, std::uint32_t region);
  void seize(std::uint32_t customer, std::uint32_t node);
  void release(std::uint32_t customer, std::uint32_t node);
  void give_units(std::uint32_t pool);
  std::uint32_t& units_of(std::uint32_t customer, std::uint32_t pool) {
    return holds_[customer * model_.pools.size() + pool];
  }
  std::uint32_t units_in(std::uint32_t pool) const;
  void tell_pool(std::uint32_t pool);
  std::uint32_t units_held(std::uint32_t customer, std::uint32_t pool) const {
    const std::size_t at = customer * model_.pools.size() + pool;
    return at < holds_.size() ? holds_[at] : 0;
  }
  /// @}

  /// @name Units that are taken away (preemption.cpp); nothing where no seize takes any
  /// @{
  Holding& holding_of(std::uint32_t customer, std::uint32_t pool);
  /// He is at a station or delay, in its line or served; none: somewhere else.
  void is_at(std::uint32_t customer, std::uint32_t node);
  /// Of his service, where somebody asks how long it took.
  void note_beginning(std::uint32_t customer);
  /// Among those served; their number: he is not.
  static std::size_t place_of(std::uint32_t customer, const State& state);
  bool may_lose(std::uint32_t customer) const;
  /// @returns whether there are enough for him now
  bool take_units(std::uint32_t pool, std::uint32_t customer, std::uint32_t wants, std::uint32_t units);
  void suspend(std::uint32_t customer, std::uint32_t pool);
  void go_on_there(std::uint32_t customer, std::uint32_t node);
  /// @}

  /// @name Places and transitions (petri_net.cpp)
  /// @{
  void put_token(std::uint32_t customer, std::uint32_t place);
  std::uint32_t take_token(const NetworkModel::Arc& arc);
  void place_changed(std::uint32_t place);
  std::uint32_t enabled(const NetworkModel::Transition& transition) const;
  void reconsider(std::uint32_t node);
  void fire_transition(std::uint32_t node);
  /// Immediate ones, one after the other, until none is enabled. @returns whether one fired.
  bool fire_immediate();
  std::uint32_t tokens_in(std::uint32_t place, std::uint32_t of_class) const;
  /// @}

  /// @name Plugin stations (plugin_stations.cpp)
  /// @{
  void begin_plugins();
  void begin_life(std::uint32_t node);
  void enter_plugin(std::uint32_t customer, std::uint32_t node);
  void advance_plugin(std::uint32_t node);
  /// Hands him in, now.
  void arrive_at_plugin(std::uint32_t customer, std::uint32_t node);
  /// Its clock stops, or goes on, as the model says by now.
  void reconsider_plugin(std::uint32_t node);
  void plugin_goes_down(std::uint32_t node);
  void plugin_comes_up(std::uint32_t node);
  /// Everybody there is turned away, those who came first first.
  void lose_those_in_plugin(std::uint32_t node);
  /// He is not there any more.
  void leave_plugin(std::uint32_t customer, std::uint32_t node);
  /// Values that its plugin observed; rows of its tables and sentences go into the record.
  void take_what_it_told(std::uint32_t node);
  bool plugin_is_up(std::uint32_t node) const;
  /// Those who leave go on, what it observed is told, and its timer is set.
  void take_news(std::uint32_t node, double next_s);
  /// Calls the station, and says of what goes wrong at which node it does.
  template <class Call>
  double ask_plugin(std::uint32_t node, const Call& call);
  /// @}

  /// @name Alarms (alarms.cpp)
  /// @{
  void alarm(std::uint32_t node, double at_s, Alarm what, std::uint32_t who, std::uint32_t stamp);
  void await_alarm(std::uint32_t node);
  void ring(std::uint32_t node);
  bool lapsed(const Alarmed& one) const;
  void server_fails(std::uint32_t node, std::uint32_t server);
  void server_is_repaired(std::uint32_t node, std::uint32_t server);
  /// @}

  /// @name Ways (choosing_ways.cpp)
  /// @{
  struct Way {
    std::uint32_t target, becomes;
  };
  /// Of a customer of a class.
  Way way_of(std::uint32_t node, std::uint32_t of_class, std::uint32_t customer);
  /// @param done  false: of those who are turned away or give up, who do not choose.
  Way one_of(const Node& node, State& state, const NetworkModel::Ways& ways, bool done, std::uint32_t customer);
  Way changing_way(const Node& node, State& state, const NetworkModel::Ways& ways);
  Way chosen_way(const Node& node, State& state, const NetworkModel::Ways& ways);
  double burden(const Node& node, std::uint32_t target, std::uint32_t of_class) const;
  /// @}

  /// @name Told to whoever watches this history (telling.cpp)
  /// Called only where somebody does: an event of a history that nobody watches pays one look for each.
  /// @{
  bool watched() const { return world_.witness != nullptr; }
  /// By a way, before he becomes what he becomes on it.
  void tell_way(std::uint32_t customer, std::uint32_t node, const Way& way,
                NetworkModel::Leaving leaving = NetworkModel::Leaving::done);
  /// @param from, to  nodes; none: he comes into being, is gone. @param flow  null: along none
  void tell_move(std::uint32_t customer, std::uint32_t from, std::uint32_t to, ElementId flow, std::uint32_t becomes);
  void tell_born(std::uint32_t customer, std::uint32_t node);
  void tell_gone(std::uint32_t customer);
  /// What he was told to do while he was held back, now that he does it.
  void tell_put_off(std::uint32_t customer);
  /// A part has come to a join, and waits there unless the whole has gone on (none).
  void tell_come(std::uint32_t part, std::uint32_t node, std::uint32_t whole);
  /// Those who stand at joins are the whole again.
  void tell_joined(std::uint32_t whole, const Split& split);
  /// Tokens that an arc takes to a transition.
  void tell_taken(std::uint32_t node, const NetworkModel::Arc& arc, const std::uint32_t* tokens);
  template <typename Take>
  void present_in_line(std::uint32_t node, Take&& take) const;
  template <typename Take>
  std::uint64_t present_served(std::uint32_t node, Take&& take) const;
  /// @}

  const NetworkModel::Rules& rules_of(const Node& node) const { return model_.rules[node.rules]; }
  More& more_of(const State& state) { return more_[state.more]; }
  const More& more_of(const State& state) const { return more_[state.more]; }
  /// A customer moves on from a node; without end within one moment it is an error that names the circle.
  void count_step(std::uint32_t node);
  void note_circle(std::uint32_t node);
  /// Names of the nodes on a way from a fork or scaler back to it on which no time passes; empty: there is none.
  std::string circle_of_splits(std::uint32_t node) const;
  [[noreturn]] void fail_of_circle(std::uint32_t node, const std::string& names) const;
  /// So often a part of a part is not split at one moment by chance.
  static constexpr std::uint32_t deepest_split = 100'000;
  /// Whether chance may lead a customer out of the circle.
  bool may_leave() const;
  /// Whether a source of jobs is in the circle, and whether customers who come to a sink are then back in it.
  bool takes_jobs() const;
  bool comes_back(std::uint32_t sink) const;
  /// RUN002 where servers wait for each other for ever.
  void look_for_deadlock(std::uint32_t node);
  [[noreturn]] void fail(const Node& node, std::string message) const;
  /// "desk" at time 3 s:
  std::string what_when(const std::string& name) const;
  void restart_streams(std::uint64_t replication);

  const NetworkModel& model_;
  World& world_;
  std::uint32_t first_, node_count_;
  std::vector<std::uint64_t> keys_;                                    ///< three for each node
  std::vector<std::pair<std::uint32_t, std::uint32_t>> readers_;       ///< reader and node, sorted
  std::vector<std::pair<std::uint32_t, std::uint32_t>> pool_readers_;  ///< reader and pool
  std::vector<std::uint32_t> due_, heeded_;                            ///< readers woken at this moment; scratch
  bool large_ = false;  ///< more than the caches hold: what comes next is fetched ahead
  bool one_class_ = false;
  std::array<std::uint32_t, 16> coming_{};  ///< nodes whose events are, the last ones named
  std::array<std::uint32_t, 16> going_{};   ///< where from there, as far as that is known; none: it is not
  std::uint32_t named_ = 0;
  HugeVector<State> states_;
  std::vector<OfClass, AmongMany<OfClass>> of_class_;  ///< by node, class; the first class stands in the state too
  std::vector<FixedWay, AmongMany<FixedWay>> fixed_ways_;
  std::vector<More> more_;
  std::vector<std::uint32_t> alarm_nodes_;  ///< by timer behind those of the nodes
  HugeVector<Customer> customers_;
  std::uint32_t free_ = none;
  std::uint32_t width_ = 0;  ///< columns of attributes; 0: there are none
  std::uint64_t order_ = 0;
  bool begun_ = true;                      ///< false: what happens at time zero has not happened yet
  Ring<std::uint32_t> room_;               ///< nodes into which somebody may come now; beyond them pools
  Ring<Move> moves_;                       ///< put off
  Ring<Move> turned_away_;                 ///< before these: of who was refused or gave up
  std::vector<std::uint32_t> candidates_;  ///< scratch of choosing ways
  std::vector<std::uint64_t> firings_;     ///< scratch of giving up firings
  double moment_s_ = -1.0;                 ///< at which `steps_` were counted
  std::uint64_t steps_ = 0, patience_ = 0;
  std::function<bool()> give_up_;
  std::uint64_t seed_ = 0, replication_ = 0;
  std::vector<PluginHere> plugins_;       ///< by number among the model's
  std::vector<std::uint32_t> plugin_at_;  ///< by customer: the plugin station that he is at; none: at none
  StationNews news_;
  std::vector<double> handed_over_;  ///< scratch: attributes of who arrives
  std::uint32_t many_ = 0;
  RandomStream due_dates_;
  std::vector<std::uint32_t> taken_of_list_;
  std::vector<std::uint32_t> phases_;  ///< by process of services or stays: at the end of the last; none: not begun
  std::vector<Split> splits_;
  std::uint32_t free_split_ = none;
  std::uint32_t free_gate_ = none;
  bool counts_parts_ = false;              ///< some join asks for parts by class
  std::vector<std::uint32_t> parts_come_;  ///< then by split, class: parts that have come to joins
  std::vector<Gate> gates_;
  std::vector<Crowd> regions_, pools_;
  std::vector<std::uint32_t> holds_;                      ///< by customer and pool: units
  std::vector<std::vector<Ring<std::uint32_t>>> tokens_;  ///< by place, class: customers, the oldest first
  std::vector<std::uint32_t> place_number_;               ///< by node: number among tokens_
  std::vector<std::vector<std::uint32_t>> users_;         ///< by place: transitions that look at it
  std::vector<std::uint32_t> immediate_;                  ///< nodes
  bool net_changed_ = false;                              ///< an immediate transition may have become enabled
  std::vector<std::uint32_t> circle_;                     ///< nodes gone through when there were too many of them
  std::uint32_t rank_at_ = 0, units_at_ = 0;              ///< the last two columns of attributes
  std::vector<double> attributes_;                        ///< by customer, column
  std::vector<std::uint64_t> attribute_keys_;             ///< by law of an attribute
  std::vector<RandomStream> attribute_streams_;
  std::vector<VaryingLaw::Draft> drafts_;  ///< by varying law
  bool limited_ = false;                   ///< there are regions or pools
  bool preempts_ = false;                  ///< units of some pool may be taken away
  std::vector<std::uint32_t> where_;       ///< by customer, then: is_at()
  std::vector<Holding> holdings_;          ///< by customer and pool
  std::vector<double> began_s_;            ///< by customer: note_beginning()
  std::vector<double> came_in_s_;          ///< by customer, where there are regions: when he came into his
  std::vector<double> inside_since_s_;     ///< likewise: since when his stay there is not in `stays_s_` yet
  /// Of nodes and regions of which somebody asks how long customers are there in all.
  std::vector<std::uint32_t> stay_streams_;
  std::vector<std::uint32_t> stay_column_;                  ///< by node: number among them
  std::vector<std::uint32_t> region_column_;                ///< by region: likewise
  std::uint32_t wait_column_ = none, whole_column_ = none;  ///< of the system
  std::vector<double> stays_s_;          ///< by customer, column; NaN first: his first passage has not begun
  std::vector<double> passage_since_s_;  ///< by customer, where somebody asks for the whole
  std::vector<std::uint32_t> seen_at_;   ///< by customer, where somebody watches: the node to which he moved last
  std::uint32_t chosen_ = 0;             ///< number of the way that was chosen last, where there were several
  std::uint32_t held_back_ = none;       ///< customer who chooses where he will go, and does not go yet
  std::unordered_map<std::uint32_t, std::vector<Moved>> put_off_;  ///< by customer: what he chose then
  std::vector<HandedOver> handed_;
  std::vector<std::uint32_t> sources_of_jobs_;  ///< nodes
  std::vector<double> jobs_;                    ///< scratch: those that other parts of the model hand over
  std::vector<double> handed_values_;           ///< scratch: what they take
};

}  // namespace ergode
