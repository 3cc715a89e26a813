// What is told of customers to whoever watches one history: at every node those who came less those who left are those
// who are said to be there, in every network that can be drawn, and both are what the slots and the drawing say.
#include <QtTest>
#include <map>
#include <random>

#include "core/des/lowering.h"
#include "solvers/queueing/lowering/network_lowering.h"
#include "solvers/simulation/model_history.h"
#include "tests/solvers/queueing/drawn_network.h"

using namespace ergode;
using namespace ergode::test;

namespace {

using Place = std::pair<ElementId, ElementId>;  // node, class
using Books = std::map<Place, long>;

/// Keeps books of what it is told: an account for each node and class.
struct Ledger : Witness {
  const Document& document;
  Books there;
  std::map<ElementId, long> passed, came, left;  // by edge; by node, along edges
  long wrong_ends = 0;
  explicit Ledger(const Document& d) : document(d) {}
  void happened(Happened) override {}
  void moved(const Moved& m) override {
    if (m.from) --there[{m.from, m.sort}];
    if (m.to) ++there[{m.to, m.becomes}];
    if (!m.edge) return;
    ++passed[m.edge], ++came[m.to], ++left[m.from];
    const Element* edge = document.find(m.edge);
    if (edge == nullptr || edge->source != m.from || edge->target != m.to) ++wrong_ends;
    if (edge != nullptr && edge->has("becomes") && document.find(m.becomes)->name() != edge->text("becomes"))
      ++wrong_ends;
  }
};

/// One history under a ledger.
struct Watched {
  std::shared_ptr<const AnalysisModel> model;
  std::unique_ptr<CcfProgram> groups;
  std::unique_ptr<ModelHistory> history;
  Ledger ledger;
  std::map<std::string, std::uint32_t> slots;
  explicit Watched(const Document& document, std::uint64_t seed = 1) : ledger(document) {
    Diagnostics found;
    model = build_model(document, {}, "", found);
    if (model == nullptr) throw std::runtime_error(listed(found));
    groups = std::make_unique<CcfProgram>(*model);
    history = std::make_unique<ModelHistory>(*model, *groups, seed);
    for (const NamedSlot& slot : model->charts.table->named()) slots[slot.name] = slot.slot;
    history->world().witness = &ledger;
    history->start(0);
  }
  bool step() {
    NobodyWatches nobody;
    return history->step(model->horizon_s, nobody);
  }
  double slot(const std::string& name) const { return history->world().slots()[slots.at(name)]; }
  std::vector<Present> present() const {
    std::vector<Present> out;
    history->others().present(out);
    return out;
  }
  /// So many of one standing at a node.
  long count(ElementId node, Standing standing) const {
    long sum = 0;
    for (const Present& one : present())
      if (one.node == node && one.standing == standing) sum += one.count;
    return sum;
  }
};

Books nonzero(Books books) {
  std::erase_if(books, [](const auto& entry) { return entry.second == 0; });
  return books;
}

std::string shown(const Document& document, const Books& books) {
  std::string out;
  for (const auto& [place, count] : books) {
    const Element* sort = document.find(place.second);
    out += document.find(place.first)->name() + "/" + (sort != nullptr ? sort->name() : "") + ": " +
           std::to_string(count) + " ";
  }
  return out;
}

void compare_with_slots(const Watched& w, const Document& document) {
  for (const Element& node : document.elements()) {
    if (!node.is_node()) continue;
    const auto all = [&](std::initializer_list<Standing> of) {
      long sum = 0;
      for (const Standing one : of) sum += w.count(node.id, one);
      return sum;
    };
    const auto agrees = [&](const char* what, long seen) {
      const double wanted = w.slot(node.name() + "." + what);
      QVERIFY2(static_cast<double>(seen) == wanted, qPrintable(QString("%1.%2 at %3 s: %4, told %5")
                                                                   .arg(node.name().c_str(), what)
                                                                   .arg(w.history->world().now())
                                                                   .arg(wanted)
                                                                   .arg(seen)));
    };
    const auto along = [&](const std::map<ElementId, long>& books) {
      const auto found = books.find(node.id);
      return found == books.end() ? 0L : found->second;
    };
    if (node.kind == "station") {
      agrees("number", all({Standing::waiting, Standing::served, Standing::blocked}));
      agrees("waiting", all({Standing::waiting}));
      const bool shares = node.text("discipline") == "ps" || node.text("discipline") == "las";
      if (!shares && !node.has("batch")) agrees("busy", all({Standing::served}));
    }
    if (node.kind == "delay" || node.kind == "join" || node.kind == "semaphore" || node.kind == "seize" ||
        node.kind == "place")
      agrees("number", all({Standing::waiting, Standing::served, Standing::blocked}));
    if (node.kind == "source") agrees("emitted", along(w.ledger.left));
    if (node.kind == "sink") agrees("arrived", along(w.ledger.came));
  }
}

/// Goes through one history and compares the books after each step.
void compare_books(const Document& document, std::uint64_t seed, int steps) {
  Watched w(document, seed);
  for (int i = 0; i < steps; ++i) {
    Books said;
    for (const Present& one : w.present())
      if (one.somebody()) said[{one.node, one.sort}] += one.count;
    const Books kept = nonzero(w.ledger.there);
    QVERIFY2(said == kept, qPrintable(QString("step %1: told %2; are there %3")
                                          .arg(i)
                                          .arg(shown(document, kept).c_str(), shown(document, said).c_str())));
    compare_with_slots(w, document);
    if (QTest::currentTestFailed()) return;
    if (!w.step()) break;
  }
  QCOMPARE(w.ledger.wrong_ends, 0L);
}

/// Draws networks out of blocks with one way in and one way out, set one behind the other and into each other.
class RandomDrawing {
 public:
  RandomDrawing(DrawnNetwork& d, unsigned seed, std::map<std::string, int>& seen) : d_(d), random_(seed), seen_(seen) {
    a_ = d.node("job_class", "a", {{"priority", "1"}}), b_ = d.node("job_class", "b");
    const ElementId in_a = make("source", {{"rate", "0.5 /s"}, {"class", "a"}}),
                    in_b = make("source", {{"rate", "0.4 /s"}, {"class", "b"}, {"batch", "2"}});
    const ElementId first = make("router");
    d_.flow(in_a, first), d_.flow(in_b, first);
    ElementId last = first;
    for (int blocks = whole(2, 4); blocks > 0; --blocks) last = block(last, 2);
    d_.flow(last, make("sink"));
  }

 private:
  int whole(int from, int to) { return from + static_cast<int>(random_() % static_cast<unsigned>(to - from + 1)); }
  ElementId make(const std::string& kind, Value more = Value::object()) {
    ++seen_[kind];
    return d_.node(kind, kind + std::to_string(++number_), std::move(more));
  }
  std::string time() { return exponential(0.2 * whole(1, 5)); }

  ElementId station() {
    Value more = {{"service", time()}, {"servers", std::to_string(whole(1, 3))}};
    switch (whole(0, 9)) {
      case 0:
        more["discipline"] = "lcfs_pr", more["interruption"] = "resume";
        break;
      case 1:
        more["discipline"] = "ps";
        break;
      case 2:
        more["discipline"] = "sjf";
        break;
      case 3:
        more["discipline"] = "siro", more["patience"] = "exponential(mean = 1 s)";
        break;
      case 4:
        more["capacity"] = "4";
        break;
      case 5:
        more["capacity"] = "4", more["when_full"] = "retry", more["retry_after"] = "exponential(mean = 1 s)";
        break;
      case 6:
        more["time_to_failure"] = "exponential(mean = 5 s)", more["time_to_repair"] = "1 s";
        break;
      case 7:
        more["discipline"] = "las";
        break;
      case 8:
        more["setup"] = "0.3 s";
        break;
      default:
        break;
    }
    for (const auto& [name, value] : more.items()) ++seen_[name];
    return make("station", std::move(more));
  }

  /// @returns where it ends
  ElementId block(ElementId from, int depth) {
    const int kind = whole(0, depth > 0 ? 8 : 2);
    const auto then = [&](ElementId to) {
      d_.flow(from, to);
      return to;
    };
    if (kind == 0) return then(make("delay", {{"time", time()}}));
    if (kind == 1 || kind == 2) return then(station());
    if (kind == 3) {  // two ways
      const ElementId split = then(make("router")), meet = make("router");
      for (const char* p : {"0.3", "0.7"}) {
        const ElementId way = make("delay", {{"time", time()}});
        d_.flow(split, way, {{"probability", p}});
        d_.flow(block(way, depth - 1), meet);
      }
      return meet;
    }
    if (kind == 4) {  // some of either class become the other
      const ElementId turn = then(make("class_switch")), meet = make("router");
      d_.flow(turn, meet, {{"class", "a"}, {"becomes", "b"}, {"probability", "0.4"}});
      d_.flow(turn, meet, {{"class", "a"}});
      d_.flow(turn, meet, {{"class", "b"}, {"becomes", "a"}, {"probability", "0.5"}});
      d_.flow(turn, meet, {{"class", "b"}});
      return meet;
    }
    if (kind == 5 || kind == 6) {  // side by side
      const ElementId fork = then(make("fork"));
      const ElementId join = kind == 5 ? make("join") : make("join", {{"wait_for", "2"}});
      for (int branches = whole(2, 3); branches > 0; --branches) {
        const ElementId way = make("delay", {{"time", time()}});
        if (branches == 1) d_.flow(fork, way, {{"count", "2"}});
        else d_.flow(fork, way);
        d_.flow(block(way, depth - 1), join);
      }
      return join;
    }
    if (kind == 7) {  // with a unit of a pool
      const ElementId pool = make("pool", {{"units", "3"}});
      const std::string name = d_.m.document().find(pool)->name();
      const ElementId seize = then(make("seize", {{"pool", name}})), work = make("delay", {{"time", time()}}),
                      release = make("release", {{"pool", name}});
      d_.flow(seize, work), d_.flow(block(work, depth - 1), release);
      return release;
    }
    // some go round again
    const ElementId first = then(make("router")), last = make("router"), on = make("router");
    const ElementId work = make("delay", {{"time", time()}});
    d_.flow(first, work), d_.flow(block(work, depth - 1), last);
    d_.flow(last, first, {{"probability", "0.2"}}), d_.flow(last, on);
    return on;
  }

  DrawnNetwork& d_;
  std::mt19937 random_;
  std::map<std::string, int>& seen_;
  ElementId a_, b_;
  int number_ = 0;
};

}  // namespace

class TestMovesTold : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void initTestCase() { register_lowering(network_lowering); }

  void random_networks_keep_their_books() {
    std::map<std::string, int> seen;
    int drawn = 0;
    for (unsigned seed = 1; seed <= 80; ++seed) {
      DrawnNetwork d("200 s");
      RandomDrawing drawing(d, seed, seen);
      Diagnostics found;
      if (build_model(d.m.document(), {}, "", found) == nullptr) continue;  // not everything goes together
      ++drawn;
      compare_books(d.m.document(), seed, 300);
      if (QTest::currentTestFailed()) qWarning("network %u", seed);
    }
    QVERIFY2(drawn >= 60, qPrintable(QString::number(drawn)));
    for (const char* what : {"station", "delay", "class_switch", "fork", "join", "seize", "router", "patience",
                             "when_full", "time_to_failure", "setup"})
      QVERIFY2(seen[what] >= 3, what);
  }

  void customers_who_are_held_back_move_when_they_go() {
    for (const char* full : {"block", "block_before"}) {
      DrawnNetwork d("300 s");
      const ElementId in = d.node("source", "in", {{"rate", "0.8 /s"}}),
                      one = d.node("station", "one", {{"service", exponential(0.5)}, {"servers", "2"}}),
                      way = d.node("router", "way"),
                      two = d.node("station", "two",
                                   {{"service", exponential(1.1)}, {"capacity", "2"}, {"when_full", full}}),
                      out = d.node("sink", "out");
      d.flow(in, one), d.flow(one, way), d.flow(way, two), d.flow(two, out);
      compare_books(d.m.document(), 4, 600);
      // While somebody is held back, he is at the first station and at no other.
      Watched w(d.m.document(), 4);
      bool held = false;
      for (int i = 0; i < 600 && w.step(); ++i) {
        QCOMPARE(w.count(one, Standing::blocked), static_cast<long>(w.slot("one.blocked")));
        held = held || w.count(one, Standing::blocked) > 0;
      }
      QVERIFY(held);
    }
  }

  void closed_customers_regions_and_batches_keep_their_books() {
    DrawnNetwork d("300 s");
    d.node("job_class", "c", {{"population", "7"}, {"reference", "think"}});
    const ElementId think = d.node("delay", "think", {{"time", exponential(2.0)}}),
                    desk = d.node("station", "desk", {{"service", exponential(1.0)}, {"batch", "2"}, {"servers", "2"}}),
                    disk = d.node("station", "disk", {{"service", exponential(0.6)}});
    d.node("region", "room", {{"stations", "desk, disk"}, {"capacity", "3"}});
    d.flow(think, desk), d.flow(desk, disk), d.flow(disk, think);
    compare_books(d.m.document(), 2, 600);
  }

  void tokens_keep_their_books() {
    DrawnNetwork d("300 s");
    const ElementId free = d.node("place", "free", {{"tokens", "3"}}), busy = d.node("place", "busy"),
                    begin = d.node("transition", "begin", {{"time", exponential(1.0)}}),
                    end = d.node("transition", "end", {{"time", exponential(2.0)}, {"servers", "infinite"}}),
                    ready = d.node("place", "ready", {{"tokens", "1"}}),
                    come = d.node("transition", "come", {{"time", exponential(1.5)}}), out = d.node("sink", "out");
    d.flow(come, ready), d.flow(ready, begin), d.flow(free, begin), d.flow(begin, busy), d.flow(busy, end),
        d.flow(end, free), d.flow(end, out);
    compare_books(d.m.document(), 3, 600);
  }

  void servers_are_told_as_well() {
    DrawnNetwork d("2000 s");
    const ElementId desk = d.queue(exponential(1.0), exponential(1.2),
                                   {{"servers", "3"},
                                    {"time_to_failure", "exponential(mean = 10 s)"},
                                    {"time_to_repair", "exponential(mean = 4 s)"},
                                    {"interruption", "resume"}});
    Watched w(d.m.document());
    std::map<Standing, long> most;
    for (int i = 0; i < 1500 && w.step(); ++i) {
      long sum = 0;
      for (const Standing s : {Standing::served, Standing::idle, Standing::down}) {
        sum += w.count(desk, s);
        most[s] = std::max(most[s], w.count(desk, s));
      }
      QCOMPARE(sum, 3L);
      QVERIFY(w.count(desk, Standing::waiting) == 0 || w.count(desk, Standing::idle) == 0);
    }
    QVERIFY(most[Standing::served] == 3 && most[Standing::idle] > 0 && most[Standing::down] > 0);
  }

  /// Bounds: 5 standard deviations of a binomial number, a false alarm in 1.7 million.
  void ways_are_told_as_often_as_they_are_taken() {
    DrawnNetwork d("20000 s");
    const ElementId in = d.node("source", "in", {{"rate", "1 /s"}}), fork = d.node("router", "way"),
                    a = d.node("sink", "a"), b = d.node("sink", "b");
    d.flow(in, fork);
    const ElementId third = d.flow(fork, a, {{"probability", "0.3"}}), rest = d.flow(fork, b);
    Watched w(d.m.document());
    while (w.step()) {
    }
    QCOMPARE(w.ledger.passed[third], static_cast<long>(w.slot("a.arrived")));
    QCOMPARE(w.ledger.passed[rest], static_cast<long>(w.slot("b.arrived")));
    const double n = static_cast<double>(w.ledger.passed[third] + w.ledger.passed[rest]);
    QVERIFY(std::fabs(static_cast<double>(w.ledger.passed[third]) - 0.3 * n) < 5 * std::sqrt(0.21 * n));
  }

  void the_next_in_line_is_told_first() {
    // At 2 s a "b" begins. Then come a at 3, b at 4, a and b at 6, b at 8, a at 9.
    for (const auto& [discipline, wanted] : {std::pair{"fcfs", "ababba"}, {"lcfs", "abbaba"}}) {
      DrawnNetwork d("100 s");
      d.node("job_class", "a"), d.node("job_class", "b");
      const ElementId late = d.node("source", "late", {{"interarrival", "3 s"}, {"class", "a"}}),
                      early = d.node("source", "early", {{"interarrival", "2 s"}, {"class", "b"}}),
                      desk = d.node("station", "desk", {{"service", "60 s"}, {"discipline", discipline}}),
                      out = d.node("sink", "out");
      d.flow(late, desk), d.flow(early, desk), d.flow(desk, out);
      Watched w(d.m.document());
      while (w.history->next_time() < 9.5) w.step();
      std::string line;
      for (const Present& one : w.present())
        if (one.node == desk && one.standing == Standing::waiting)
          for (std::uint32_t i = 0; i < one.count; ++i) line += d.m.document().find(one.sort)->name();
      QCOMPARE(line, std::string(wanted));
    }
  }
};

QTEST_APPLESS_MAIN(TestMovesTold)
#include "tst_moves_told.moc"
