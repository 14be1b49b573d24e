"""Measures the emulated device beside XLA:CPU. run.py beside this folder puts the parts together."""
