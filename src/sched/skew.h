// Runs the first part of a loop's turn beside the last part of the turn before it, so that the PE need not wait for what
// other engines make of its results: while they work on one turn, it multiplies for the other.
// needs    a verified tile program without addresses or loops of one turn
// ensures  the same values: what trades places meets in no byte. Tiles that pass from one part to the other are two, for
//          even and odd turns
// placed   first in interleave, which then orders the instructions of both parts
// tests    tests/check/skew_test.cpp
#pragma once
#include "machine/machine.h"
#include "sched/regions.h"
#include "tile/module.h"

namespace openneuron::sched {

/// The program with its loops skewed where that pays; adds buffers and loops. Empty: there is nothing to skew.
isa::InstructionList skew(tile::Module& module, tile::Program& program, const RegionTree& tree, const Machine& machine);

}  // namespace openneuron::sched
