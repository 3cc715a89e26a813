#pragma once
#include <cstddef>
#include <cstdint>

namespace ergode {

/// What a line, area or text means; a Theme turns it into a colour. `none` is not drawn.
/// Roles, not colours, stand in everything that is drawn, so that one drawing serves the light and the dark screen and
/// print. canvas and panel are grounds of drawings and of what lies in them; ordered_0 to ordered_8 are the steps of a
/// scale from little to much, and on_dark and on_light the letters on its dark and its light steps; count is no role.
enum class Role : std::uint8_t {
  none,
  canvas,
  panel,
  text,
  muted,
  node_border,
  node_fill,
  title_fill,
  transition,
  failure,
  active_border,
  active_fill,
  error,
  warning,
  selection,
  ccf,
  grid,
  axis,
  series_0,
  series_1,
  series_2,
  series_3,
  series_4,
  series_5,
  ordered_0,
  ordered_1,
  ordered_2,
  ordered_3,
  ordered_4,
  ordered_5,
  ordered_6,
  ordered_7,
  ordered_8,
  on_dark,
  on_light,
  count
};
/// Colours of series; from the seventh on they come again.
inline constexpr int series_count = 6;
/// By the place of a series in the list.
inline Role series_role(std::size_t index) {
  return static_cast<Role>(static_cast<std::size_t>(Role::series_0) + index % series_count);
}

/// Steps of the scale of ordered values.
inline constexpr int ordered_count = 9;
/// The step of a share; outside of 0 to 1 the nearest, NaN the first.
constexpr Role ordered_role(double share) {
  const double step = share > 0 ? (share < 1 ? share : 1.0) * ordered_count : 0.0;
  const int whole = step < ordered_count ? static_cast<int>(step) : ordered_count - 1;
  return static_cast<Role>(static_cast<int>(Role::ordered_0) + whole);
}
/// Letters that can be read on it.
constexpr Role role_on(Role ordered) { return ordered < Role::ordered_5 ? Role::on_dark : Role::on_light; }

/// How a line is interrupted; the lengths are the painter's.
/// In the order of the patterns in core/drawing/picture.cpp.
enum class Dash : std::uint8_t { solid, dashed, dotted, dash_dot, long_dash, dash_dot_dot };

}  // namespace ergode
