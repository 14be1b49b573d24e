#!/usr/bin/env python3
"""docs/isa.md is what scripts/generate_isa_docs.py makes of src/isa/isa.def."""
import sys

import generate_isa_docs

sys.argv.append("--check")
generate_isa_docs.main()
print("check_isa_docs: docs/isa.md is up to date")
