import { areTakenOver, type Fault, stopBusyWorker, waitUntil, withBusyWorker } from '../fault.ts'

/** Number of workers that one strike kills in sequence. */
const kills = 2

export const workerKilled: Fault = {
  name: 'worker-killed',
  what: `kill -9 of ${kills} random workers, one after another`,
  limit: () => 3_000,
  async strike(arena) {
    const { db } = arena.stage
    let recovery = 0
    for (let kill = 0; kill < kills; kill++) {
      await withBusyWorker(arena, async (worker, pid) => {
        // The worker is stopped first, so that the jobs that are read as held are still held when it dies.
        const lost = await stopBusyWorker(arena, pid)
        const begun = performance.now()
        process.kill(pid, 'SIGKILL')
        await waitUntil('its jobs run elsewhere', () => areTakenOver(db, lost))
        recovery = Math.max(recovery, performance.now() - begun)
        await waitUntil('the worker has restarted', () => (worker.pid !== undefined && worker.pid !== pid) || undefined)
      })
    }
    return { recovery, broken: [] }
  },
}
