#pragma once
#include <vector>

#include "core/drawing/picture.h"

// What the parts of the router share: prices, and the geometry of lines made of horizontal and vertical pieces.
namespace ergode::routing {

inline constexpr double stub = 18.0;      ///< straight piece before the first bend: room for an arrow head
inline constexpr double clearance = 8.0;  ///< between a line and a box it passes
inline constexpr double port_spacing = 14.0;
inline constexpr double corner = 12.0;  ///< ports keep off the rounded corners
inline constexpr double bend_price = 45.0;
inline constexpr double hit_price = 1e5;
inline constexpr double share_price = 12.0;  ///< per pixel of running along another edge
inline constexpr double crossing_price = 30.0;
inline constexpr double label_price = 150.0;  ///< of running through the label of another edge
inline constexpr double title_price = 6.0;    ///< per pixel of running along a container's title

inline std::size_t at(int i) { return static_cast<std::size_t>(i); }

/// The least rectangle around a segment (a path); of a straight one its width or height is 0.
Rect segment_box(const Point& a, const Point& b);
/// The segment meets the inside of the box.
bool crosses(const Point& a, const Point& b, const Rect& box);
Rect path_box(const std::vector<Point>& path);
/// Drops repeated points and points in the middle of a straight line.
std::vector<Point> simplified(const std::vector<Point>& path);
/// Of a path whose pieces are horizontal or vertical.
double length(const std::vector<Point>& path);
/// Length over which two axis-parallel segments run within `gap` of each other, and whether they cross.
double shared_length(const Point& a, const Point& b, const Point& c, const Point& d, double gap, bool& crossing);

}  // namespace ergode::routing
