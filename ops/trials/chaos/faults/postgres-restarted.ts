import { type Fault, measureNextAccepted, measureNextEffect, waitUntil } from '../fault.ts'

/** Restarts Postgres like `pg_ctl -m immediate`: without a checkpoint, with recovery at the next start. */
export const postgresRestarted: Fault = {
  name: 'postgres-restarted',
  what: 'restart of Postgres, -m immediate',
  impossible: ({ postgres }) => (postgres ? undefined : 'the database has no separate server'),
  async strike(arena) {
    const { postgres } = arena.stage
    if (!postgres) throw new Error('The database has no separate server.')
    const pid = await waitUntil('Postgres runs', () => postgres.pid)
    const begun = performance.now()
    process.kill(pid, 'SIGQUIT')
    await waitUntil('Postgres has restarted', () => (postgres.pid !== undefined && postgres.pid !== pid) || undefined)
    await Promise.all([measureNextAccepted(arena), measureNextEffect(arena)])
    return { recovery: performance.now() - begun, broken: [] }
  },
}
