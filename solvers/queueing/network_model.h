#pragma once
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "core/base/element_id.h"
#include "core/expression/program.h"
#include "core/random/distribution.h"

namespace ergode {

/// What all queueing diagrams of a model come to, with names resolved and texts compiled: const once it is lowered,
/// shared by the threads that simulate it and by the solvers that solve it. Times in s, rates in 1/s.
///
/// Nodes and classes are numbered in document order, over all diagrams. Where no class is drawn there is one, without a
/// name.
struct NetworkModel {
  static constexpr std::uint32_t none = ~std::uint32_t{0}, unlimited = none;

  struct JobClass {
    ElementId element;  ///< null: of the class that nobody drew
    std::string name;
    std::uint32_t population = 0;    ///< > 0: closed, all at `reference` at time zero
    std::uint32_t reference = none;  ///< node
  };

  /// How long something takes: drawn, or worked out from slots at the moment it begins.
  struct Duration {
    bool drawn = true;
    Distribution law;     ///< [s]
    double mean_s = 0.0;  ///< of the law
    Program value;        ///< [s], where not drawn
  };

  /// Where a customer goes next. Probabilities that no slot enters are summed up once.
  struct Ways {
    std::vector<std::uint32_t> target;  ///< nodes
    std::vector<double> upto;           ///< cumulated probabilities, the last exactly 1; empty: they change
    std::vector<Program> probability;   ///< where they change
    std::vector<std::uint8_t> given;    ///< where they change: 0 shares what the others leave
  };

  enum class Kind : std::uint8_t { source, station, delay, router, sink };
  enum class Discipline : std::uint8_t { fcfs, lcfs, siro, ps };

  struct Node {
    ElementId element;
    std::string name;
    Kind kind = Kind::station;
    Discipline discipline = Discipline::fcfs;
    std::uint32_t capacity = unlimited;  ///< customers, those served included
    std::uint32_t emits = 0;             ///< of a source: class
    std::vector<Duration> time;          ///< by class: service, stay; of a source one: the gap
    std::vector<Ways> ways;              ///< by class; none: nobody of it comes here, or nobody leaves
    Program servers;                     ///< of a station
    Program rate;                        ///< of a source that has one instead of a gap [1/s]
    bool has_rate = false;
    std::uint32_t reader = none;  ///< SlotTable::wake(): of servers, of rate
    bool raises_loss = false;
    std::uint32_t loss_event = 0;
    /// Slots: number, waiting, busy and lost of a station; number of a delay, emitted of a source, arrived of a sink.
    std::uint32_t number = 0, waiting = 0, busy = 0, lost = 0;
    /// Streams: of a station and a delay; of a sink `response` is the time in the system.
    std::uint32_t response = 0, wait = 0;
  };

  struct Diagram {
    ElementId element;
    std::string name;
  };
  std::vector<Diagram> diagrams;  ///< that hold nodes
  std::vector<JobClass> classes;
  std::vector<Node> nodes;
};

}  // namespace ergode
