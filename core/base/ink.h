#pragma once
#include <cstddef>
#include <cstdint>

namespace ergode {

/// What a line, area or text means; a Theme turns it into a colour. `none` is not drawn.
/// Roles, not colours, stand in everything that is drawn, so that one drawing serves the light and the dark screen and
/// print. canvas and panel are grounds of drawings and of what lies in them; count is no role.
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
  count
};
/// Colours of series; from the seventh on they come again.
inline constexpr int series_count = 6;
/// By the place of a series in the list.
inline Role series_role(std::size_t index) {
  return static_cast<Role>(static_cast<std::size_t>(Role::series_0) + index % series_count);
}

/// How a line is interrupted; the lengths are the painter's.
/// In the order of the patterns in core/drawing/picture.cpp.
enum class Dash : std::uint8_t { solid, dashed, dotted, dash_dot, long_dash, dash_dot_dot };

}  // namespace ergode
