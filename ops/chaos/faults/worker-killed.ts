import { eventually, type Fault, stopAtWork, takenOver, withBusyWorker } from '../fault.ts'

/** Kills that one strike deals, to one worker after the other. */
const kills = 2

/** `kill -9` of random workers. */
export const workerKilled: Fault = {
  name: 'worker-killed',
  what: `kill -9 of ${kills} random workers, one after the other`,
  limit: () => 3_000,
  async strike(arena) {
    const { db } = arena.stage
    let recovery = 0
    for (let kill = 0; kill < kills; kill++) {
      await withBusyWorker(arena, async (worker, pid) => {
        // Stopped first, so that what is read as held is held when it dies.
        const lost = await stopAtWork(arena, pid)
        const begun = performance.now()
        process.kill(pid, 'SIGKILL')
        await eventually('its jobs ran elsewhere', () => takenOver(db, lost))
        recovery = Math.max(recovery, performance.now() - begun)
        await eventually('it was started again', () => (worker.pid !== undefined && worker.pid !== pid) || undefined)
      })
    }
    return { recovery, broken: [] }
  },
}
