// What people read of a stream: in reports, timelines and estimates.
#pragma once
#include <string>

#include "isa/code.h"

namespace openneuron::isa {

/// The engine's name, or "queue N" of a DMA queue.
inline std::string track_name(const Stream& stream) {
  return stream.engine == Engine::Dma ? "queue " + std::to_string(stream.queue) : std::string(engine_name(stream.engine));
}

}  // namespace openneuron::isa
