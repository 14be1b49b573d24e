// Gives every collective one form, neuron.collective: one dense operand, the groups as a table of numbers, and what is
// gathered, scattered or exchanged as a first dimension of the group's size. Reductions that the collective cores do not
// combine (other regions than one op, 64-bit and complex elements) are gathered and combined on each core.
// needs    calls inlined, replica groups of partition numbers
// ensures  no all_reduce, all_gather, all_to_all, reduce_scatter, collective_permute, collective_broadcast or replica_id;
//          a neuron.collective moves no 64-bit integers
// placed   before split_words, which takes their words apart
// tests    tests/golden/graph/legalise_collectives, tests/python/test_collectives.py
#pragma once
#include "base/result.h"

namespace openneuron::graph { class Module; }

namespace openneuron::opt {
Result<void> legalise_collectives(graph::Module& module);
}
