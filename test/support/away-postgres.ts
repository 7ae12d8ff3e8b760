import { setTimeout as pause } from 'node:timers/promises'
import { type DatabasePool, openPool } from '#sql/db.ts'
import { migrateAll } from '../../ops/migrate.ts'
import { ownCluster, type Scope } from './postgres.ts'

export interface AwayPostgres {
  url: string
  db: DatabasePool
  pool(): Promise<DatabasePool>
  /** Stops it for `seconds` and runs `meanwhile`. */
  away(seconds: number, meanwhile?: () => Promise<void>): Promise<void>
}

/** Starts a separate Postgres until the test ends. */
export async function awayPostgres(t: Scope): Promise<AwayPostgres> {
  const postgres = await ownCluster(t)
  const { url } = postgres
  await migrateAll(url)
  const pool = async () => {
    const opened = await openPool(url)
    t.teardown(() => opened.end())
    return opened
  }
  return {
    url,
    pool,
    db: await pool(),
    async away(seconds, meanwhile = async () => {}) {
      await postgres.stop()
      const begun = performance.now()
      await meanwhile()
      await pause(Math.max(0, seconds * 1000 - (performance.now() - begun)))
      await postgres.restart()
    },
  }
}
