#pragma once
#include <array>
#include <string>
#include <vector>

namespace ergode::test {

/// A network in which nothing is left to chance, for PlainNetwork: what its elements and disciplines mean, written down
/// once more, without a thought of speed. Time goes from one thing that happens to the next; in between everybody who
/// is served has so much work left, which falls at the rate that the discipline gives him. Times are in seconds.
struct PlainArc {
  int place = 0, count = 1;
};
struct PlainNode {
  std::string kind, name;  ///< as drawn; "pool" and "region" are lists of their own
  std::vector<int> to;
  /// "": one way; round_robin; choice, rounds: by attributes; by_class: to[class]; shortest_queue, least_work,
  /// power_of_d, fastest, last_response, last_service: of equal ones, and whom of d he sees, by chance.
  std::string routing;
  double threshold = 0.0;  ///< to[0] below, else to[1]
  int choices = 2;         ///< d
  int work = 0;            ///< the attribute that a service takes, times `factor`; -1: a time for each class
  double factor = 1.0;
  std::vector<double> of_class;
  int servers = 1, capacity = 0, batch = 1, least_batch = 1, limit = 1;
  std::string discipline = "fcfs", priorities = "nonpreemptive", interruption = "finish", when_full = "lose",
              visit = "exhaustive";
  bool one_vacation = false;
  double retry = 0.0, patience = 0.0, setup = 0.0, vacation = 0.0, switchover = 0.0, to_failure = 0.0, to_repair = 0.0;
  std::vector<double> speeds, weights;
  int faster_above = -1;  ///< more customers than that: the servers work at `faster`
  double faster = 1.0;
  int lost_to = -1, gave_up_to = -1, quorum = 0, pool = 0, units = 1, region = -1;
  /// Of a transition: what it takes of any class, who has been there longest first; places in which so many keep it
  /// from firing. As many as to[0] is given go on there; `tokens_back` more go to place `tokens_to`.
  std::vector<PlainArc> takes, inhibitors;
  double firing = -1.0;  ///< time; below 0: none, then `weight` among those of the greatest priority
  int priority = 0, weight = 1, gives = 1, tokens_to = -1, tokens_back = 0;
  int tokens = 0;              ///< of a place, at the beginning: of the class after all others
  bool preempts = false;       ///< a seize: takes units away from those of lower priority
  std::vector<int> becomes;    ///< of a class switch, by class
  std::vector<int> quorum_of;  ///< of a semaphore, by class of who was split; empty: `quorum`
};
struct PlainRegion {
  int capacity = 0;
  std::vector<int> of_class;
  bool loses = false;
};
struct PlainBirth {
  double at = 0.0;
  int of_class = 0, source = 0;
  std::array<double, 3> work{};
  double patience = 0.0, choice = 0.0;
};
struct PlainModel {
  std::vector<PlainNode> nodes;
  std::vector<PlainRegion> regions;
  std::vector<int> pools;  ///< units
  std::vector<int> priority;
  std::vector<double> due;
  std::vector<PlainBirth> births;  ///< by time; of a closed class all at 0
  std::vector<int> first;          ///< by class: node after its source, or where customers of a closed one begin
  std::vector<int> population;     ///< of closed classes
  std::vector<bool> closed;        ///< by class; also of one that is empty at the beginning
  /// By node that chooses: which ways were taken, one after the other. Chance decides between equal ones; the plain
  /// program looks whether each way is one that the rule allows.
  std::vector<std::vector<int>> chosen;
  std::vector<int> fired;  ///< transitions without time, one after the other: likewise
  double end = 0.0;
};

}  // namespace ergode::test
