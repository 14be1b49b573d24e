// Readers: bytes of a file -> graph level. The format is told by content, never by file name.
#pragma once
#include <memory>
#include <span>
#include <string>

#include "base/result.h"
#include "graph/module.h"

namespace openneuron::import {

enum class Format { StablehloText, MlirBytecode, HloProto, Unknown };

/// What the first bytes say.
Format detect(std::span<const std::byte> bytes);

/// What the location of an op is when the text states none: unknown, or its place in the text (for messages of passes).
enum class Positions { Stated, OfText };

/// Parses StableHLO text. `owner` keeps `bytes` alive: large hex blobs are not copied. `file` is for messages.
Result<graph::Module> read_text(std::span<const std::byte> bytes, const std::string& file,
                                std::shared_ptr<const void> owner = {}, Positions positions = Positions::Stated);
/// Parses MLIR bytecode carrying VHLO (0.9.0 to the newest in the table).
Result<graph::Module> read_bytecode(std::span<const std::byte> bytes, const std::string& file,
                                    std::shared_ptr<const void> owner = {});
/// Parses an HloModuleProto, also one that lies in an HloProto.
Result<graph::Module> read_hlo(std::span<const std::byte> bytes, const std::string& file,
                               std::shared_ptr<const void> owner = {});
/// Any of them, by content; verified. What a rule refuses is reported with its place in the text.
Result<graph::Module> read(std::span<const std::byte> bytes, const std::string& file,
                           std::shared_ptr<const void> owner = {}, Positions positions = Positions::Stated);

}  // namespace openneuron::import
