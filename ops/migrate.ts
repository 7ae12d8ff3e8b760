import { Logger, runMigrations } from 'graphile-worker'
import pg from 'pg'
import { log } from '#lib/log.ts'
import { migrate } from '#sql/migrate.ts'
import { poolNames, poolSchema } from '#tasks/pools.ts'

/** Brings the database up to date: our own tables, each pool's queue, and the fence and plans of each queue. */
export async function migrateAll(databaseUrl: string): Promise<void> {
  await migrate(databaseUrl)
  const logger = new Logger(() => (_level, message) => log.debug(message))
  for (const pool of poolNames) await runMigrations({ connectionString: databaseUrl, schema: poolSchema(pool), logger })
  const client = new pg.Client({ connectionString: databaseUrl })
  await client.connect()
  try {
    for (const pool of poolNames) {
      await client.query('select jobs.install_fence($1), jobs.install_plans($1)', [poolSchema(pool)])
    }
  } finally {
    await client.end()
  }
}
