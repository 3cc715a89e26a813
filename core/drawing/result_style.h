#pragma once
#include "core/drawing/picture.h"
#include "core/results/answer.h"
#include "core/results/result_set.h"

namespace ergode {

/// How the line of an answer looks, on the screen and in reports alike.
struct AnswerStyle {
  Role role = Role::series_0;
  Dash dash = Dash::solid;
};
/// One colour and dash for each kind of answer, so that two kinds never look alike.
AnswerStyle answer_style(Answer answer);

/// Colour of a part of a split in every bar and legend.
/// Eight differ, as many as a split may have; parts after them would all be muted.
Role part_role(SplitPart part);

}  // namespace ergode
