// The fonts of Debian's fonts-dejavu-core as they are, so that a file with embedded fonts needs none on the machine.
#include "core/drawing/true_type.h"

#define ERGODE_FONT(name, file)                                                                          \
  __asm__(".section .rodata\n.balign 16\n.global " #name "_begin\n.global " #name "_end\n" #name         \
          "_begin:\n.incbin \"" ERGODE_FONT_FOLDER "/" file "\"\n" #name "_end:\n.byte 0\n.previous\n"); \
  extern "C" const char name##_begin[];                                                                  \
  extern "C" const char name##_end[]

ERGODE_FONT(ergode_font_sans, "DejaVuSans.ttf");
ERGODE_FONT(ergode_font_sans_bold, "DejaVuSans-Bold.ttf");
ERGODE_FONT(ergode_font_mono, "DejaVuSansMono.ttf");
ERGODE_FONT(ergode_font_mono_bold, "DejaVuSansMono-Bold.ttf");

namespace ergode {

std::string_view built_in_font(const Font& font) {
  const auto between = [](const char* begin, const char* end) {
    return std::string_view(begin, static_cast<std::size_t>(end - begin));
  };
  if (font.mono)
    return font.bold ? between(ergode_font_mono_bold_begin, ergode_font_mono_bold_end)
                     : between(ergode_font_mono_begin, ergode_font_mono_end);
  return font.bold ? between(ergode_font_sans_bold_begin, ergode_font_sans_bold_end)
                   : between(ergode_font_sans_begin, ergode_font_sans_end);
}

}  // namespace ergode
