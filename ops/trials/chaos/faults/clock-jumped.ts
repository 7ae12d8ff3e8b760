import { setTimeout as pause } from 'node:timers/promises'
import { type Fault, measureNextEffect, withBusyWorker } from '../fault.ts'

/** Sets the wall clock of one worker an hour ahead, then back. */
export const clockJumped: Fault = {
  name: 'clock-jumped',
  what: 'wall clock of a worker set 1 h ahead, then back',
  strike: (arena) =>
    withBusyWorker(arena, async (worker, pid) => {
      process.kill(pid, 'SIGUSR2')
      await pause(arena.away)
      if (worker.pid === pid) process.kill(pid, 'SIGUSR2')
      return { recovery: await measureNextEffect(arena), broken: [] }
    }),
}
