#!/usr/bin/env python3
"""Writes hardware_31.json, hardware_22.json and hardware_13.json beside itself: the server preset (128 x 128, HBM2) with
its four cores split between two partitions."""
import json
import os

CORE = {"core_type": "systolic_ws", "core_width": 128, "core_height": 128, "spad_size": 32768, "accum_spad_size": 4096,
        "vector_process_bit": 65536}

for first in (3, 2, 1):
    hardware = {
        "num_cores": 4, "core_freq": 1000, "core_config": {f"core_{i}": CORE for i in range(4)},
        "dram_type": "ramulator2", "dram_config_path": "HBM2", "dram_freq": 1200, "dram_channels": 16,
        "dram_req_size": 32, "dram_size": 16,
        "icnt_type": "simple", "icnt_latency": 1, "icnt_freq": 1000, "icnt_injection_ports_per_core": 16,
        "precision": 2, "scheduler": "partition_cpu",
        "partition": {f"core_{i}": 0 if i < first else 1 for i in range(4)}}
    path = os.path.join(os.path.dirname(os.path.abspath(__file__)), f"hardware_{first}{4 - first}.json")
    with open(path, "w", encoding="utf-8") as file:
        json.dump(hardware, file, indent=1)
        file.write("\n")
