import { eventually, type Fault, stopAtWork, takenOver, withBusyWorker } from '../fault.ts'

/** Number of workers that one strike kills in sequence. */
const kills = 2

export const workerKilled: Fault = {
  name: 'worker-killed',
  what: `kill -9 of ${kills} random workers, one after the other`,
  limit: () => 3_000,
  async strike(arena) {
    const { db } = arena.stage
    let recovery = 0
    for (let kill = 0; kill < kills; kill++) {
      await withBusyWorker(arena, async (worker, pid) => {
        // Stops the worker first, so that the jobs that are read as held are held when it dies.
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
