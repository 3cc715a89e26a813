#pragma once
#include <QElapsedTimer>
#include <QObject>
#include <QTimer>
#include <map>
#include <memory>
#include <unordered_map>
#include <utility>
#include <vector>

#include "core/base/presence.h"
#include "core/des/happened.h"

namespace ergode {

class DiagramScene;

/// Dots that go along the drawn edges after those who moved in a history, so that the eye can follow. They belong to
/// the wall clock alone: whoever moves is there at once, as far as the model is concerned.
///
/// Who passes several edges at one moment goes along one after the other; who comes into being where somebody just
/// arrives sets out when that one is there. Moves along edges that the shown diagram lacks take no time. At most 120
/// are on their way; of more nobody could follow any.
class Travellers : public QObject {
  Q_OBJECT
 public:
  /// @param scene  outlives this
  explicit Travellers(DiagramScene& scene, QObject* parent = nullptr);
  ~Travellers() override;

  /// @param each_s  wall time [s] along one edge; 0: nobody is seen to move
  void set_out(const std::vector<Moved>& moves, double each_s);
  /// Nobody is on his way any more.
  void clear();
  std::size_t size() const { return travels_.size(); }
  /// Wall time [s] passes; by a timer of its own, 30 times a second, while anybody is on his way.
  void pass(double wall_s);
  /// Dots are seen at any zoom [screen pixels per pixel].
  void set_zoom(double zoom);
  /// Where the dots are that can be seen [scene].
  std::vector<QPointF> places() const;
  /// What is to be drawn of those who are at nodes: without those who are still seen on their way there.
  std::unordered_map<ElementId, std::vector<Present>> settled(
      std::unordered_map<ElementId, std::vector<Present>> present) const;

 Q_SIGNALS:
  /// Somebody is where he went.
  void arrived();

 private:
  class Dot;
  struct Travel;
  void place(Travel& travel);

  DiagramScene& scene_;
  std::vector<std::unique_ptr<Travel>> travels_;
  QTimer timer_;
  QElapsedTimer since_;
  double zoom_ = 1.0;
};

}  // namespace ergode
