// Host memory of the device: mapped, never cleared by us, huge pages where the system gives them.
#pragma once
#include <cstddef>
#include <cstdint>

namespace openneuron::device {

class Mapping {
 public:
  Mapping() = default;
  explicit Mapping(std::size_t bytes);  ///< data() is null when the system refuses
  ~Mapping();
  Mapping(Mapping&& other) noexcept;
  Mapping& operator=(Mapping&& other) noexcept;
  Mapping(const Mapping&) = delete;
  Mapping& operator=(const Mapping&) = delete;

  std::byte* data() const { return data_; }
  std::size_t size() const { return bytes_; }

 private:
  std::byte* data_ = nullptr;
  std::size_t bytes_ = 0;
};

/// A mapping from the process's small stock, or a new one: the first touch of SBUF costs milliseconds, so a model that
/// ends leaves its memories to the next. Contents are anything.
Mapping take_mapping(std::size_t bytes);
void give_back(Mapping mapping);

}  // namespace openneuron::device
