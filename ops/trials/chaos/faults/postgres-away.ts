import { setTimeout as pause } from 'node:timers/promises'
import { type Fault, measureNextAccepted, measureNextEffect } from '../fault.ts'

/**
 * Period in milliseconds before the end of a lease in which a worker may declare it lost. The worker's last heartbeat
 * can be older.
 */
const leeway = 2_000

export const postgresAway: Fault = {
  name: 'postgres-away',
  what: 'Postgres killed, and its port rejects connections',
  unseen: true,
  impossible: ({ postgres }) => (postgres ? undefined : 'the database has no separate server'),
  async strike(arena) {
    const { postgres, workers, settings } = arena.stage
    if (!postgres) throw new Error('The database has no separate server.')
    const before = workers.map(({ pid }) => pid)
    const gone = performance.now()
    await postgres.away()
    try {
      await pause(arena.away)
    } finally {
      await postgres.back()
    }
    const back = performance.now()
    await Promise.all([measureNextAccepted(arena), measureNextEffect(arena)])
    const recovery = performance.now() - back
    const ended = workers.filter(({ pid, taken }, i) => pid !== before[i] && !taken).length
    const mayEnd = back - gone > settings.lease - leeway
    const broken = mayEnd || ended === 0 ? [] : [`${ended} workers exited within their lease`]
    return { recovery, broken, outlasted: mayEnd }
  },
}
