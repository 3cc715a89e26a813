#pragma once

namespace ergode {

/// Makes the elements of a diagram known to assistive programs: the canvas has a child for each node and edge, named in
/// a sentence ("State Running, 2 outgoing transitions"), with its place and whether it is selected. Once, after
/// QApplication.
void install_canvas_accessibility();

}  // namespace ergode
