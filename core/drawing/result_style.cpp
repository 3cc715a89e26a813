#include "core/drawing/result_style.h"

namespace ergode {

AnswerStyle answer_style(Answer answer) {
  switch (answer) {
    case Answer::estimate:
      return {Role::series_0, Dash::solid};
    case Answer::exact:
      return {Role::series_1, Dash::long_dash};
    case Answer::bounds:
      return {Role::series_3, Dash::dash_dot};
    case Answer::long_run:
      return {Role::series_2, Dash::dotted};
  }
  return {};
}

Role part_role(SplitPart part) {
  // The first part is what no other has a share in. Two neighbours in the order of series are hard to tell apart in
  // print.
  constexpr Role roles[] = {Role::grid,     Role::series_0, Role::series_1, Role::series_3,
                            Role::series_2, Role::series_4, Role::series_5, Role::muted};
  return part < std::size(roles) ? roles[part] : Role::muted;
}

}  // namespace ergode
