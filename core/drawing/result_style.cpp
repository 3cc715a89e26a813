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

Role cause_role(Cause cause) {
  switch (cause) {
    case Cause::independent:
      return Role::series_0;
    case Cause::non_lethal:
      return Role::series_1;
    case Cause::lethal:
      return Role::series_3;
    case Cause::none:
      break;
  }
  return Role::grid;
}

}  // namespace ergode
