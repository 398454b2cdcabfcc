"""The object a training loop steps, in the manner of `torch.optim.lr_scheduler`."""

from __future__ import annotations

from collections.abc import Callable

from host.compiler.bits import Bits
from host.schedules.base import Schedule, ScheduleError, as_schedule

# What saved states called it before.
OLD_NAMES = {"gradient": "backward"}


class PrecisionScheduler:
    """Applies the precision of each step; step 0 on construction.

    Args:
        apply: called with the new bits whenever they change, and once at the start.
        forward: schedule of weights and activations.
        backward: schedule of errors; a whole number is a static one.
        total_steps: how many steps the run has.
        every: how many steps share a precision; steps per epoch make the schedule one of epochs.

    >>> from cpt_model.schedules import CPT
    >>> scheduler = PrecisionScheduler(print, CPT(3, 4, cycles=1), 8, total_steps=4)
    3/8
    >>> for _ in range(3):
    ...     scheduler.step()
    4/8
    """

    def __init__(
        self,
        apply: Callable[[Bits], object],
        forward: Schedule,
        backward: Schedule | int,
        total_steps: int,
        every: int = 1,
    ) -> None:
        if every < 1 or total_steps < 1:
            raise ScheduleError(f"total_steps = {total_steps} and every = {every} must both be at least 1")
        self._apply = apply
        self.forward = forward
        self.backward = as_schedule(backward)
        self.total_steps = total_steps
        self.every = every
        self.last_step = 0
        self._last_bits = self.bits_at(0)
        self._apply(self._last_bits)

    def bits_at(self, step: int) -> Bits:
        """The precision of any step of the run; the scheduler's own state does not matter."""
        updates = -(-self.total_steps // self.every)
        update = step // self.every
        return Bits(int(self.forward.bits(update, updates)), int(self.backward.bits(update, updates)))

    def step(self) -> None:
        """Goes to the next step; behind the run's last one the last precision stays, as after `lr_scheduler`'s end."""
        self.last_step += 1
        self._move_to(self.bits_at(min(self.last_step, self.total_steps - 1)))

    def get_last_bits(self) -> Bits:
        """The precision in force."""
        return self._last_bits

    def state_dict(self) -> dict[str, int | str]:
        return {"last_step": self.last_step, **self._identity()}

    def load_state_dict(self, state: dict[str, int | str]) -> None:
        """Continues where a saved run was; one of another length or with other schedules is refused."""
        state = {OLD_NAMES.get(name, name): value for name, value in state.items()}
        for name, own in self._identity().items():
            if state[name] != own:
                raise ScheduleError(f"saved with {name} = {state[name]}, this scheduler has {own}")
        last = state["last_step"]
        if type(last) is not int or last < 0:
            raise ScheduleError(f"saved with last_step = {last}, which is no number of steps")
        self.last_step = last
        self._move_to(self.bits_at(min(self.last_step, self.total_steps - 1)))

    def _identity(self) -> dict[str, int | str]:
        return {
            "total_steps": self.total_steps,
            "every": self.every,
            "forward": repr(self.forward),
            "backward": repr(self.backward),
        }

    def _move_to(self, bits: Bits) -> None:
        if bits != self._last_bits:
            self._last_bits = bits
            self._apply(bits)
