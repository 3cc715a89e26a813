#include "app/gui/program/workbench.h"

int main(int argc, char** argv) { return ergode::run_workbench(argc, argv); }
