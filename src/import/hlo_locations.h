// OpMetadata and StackFrameIndexProto -> locations, in the form that JAX's own text has: the op's name around the
// place, or around the chain of calls that led to it.
#pragma once
#include <vector>

#include "graph/module.h"
#include "import/hlo_wire.h"

namespace openneuron::import::hlo {

class LocationReader {
 public:
  /// `stack_frames` is the module's StackFrameIndexProto, or empty.
  LocationReader(Bytes stack_frames, graph::Module& module, Source& source);
  LocationId read(Bytes metadata);

 private:
  struct FilePlace {
    std::int64_t file = 0, function = 0, line = 0, column = 0, end_line = 0, end_column = 0;
  };
  struct Frame {
    std::int64_t place = 0, parent = 0;
    std::uint32_t depth = 0;  ///< of the chain, once it is made
    bool done = false, busy = false;
    LocationId location;
  };
  LocationId file_location(const FilePlace& place, std::string_view file, std::string_view function);
  LocationId frame_location(std::int64_t frame);

  graph::Module& module_;
  Source& source_;
  std::vector<std::string_view> files_, functions_;
  std::vector<FilePlace> places_;
  std::vector<Frame> frames_;
};

}  // namespace openneuron::import::hlo
