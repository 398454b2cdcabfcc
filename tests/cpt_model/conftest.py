"""One thread a process: tests run side by side, and threads that wait for each other spin."""

import torch

torch.set_num_threads(1)
