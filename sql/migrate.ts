import { readdir } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { runner } from 'node-pg-migrate'
import { z } from 'zod'
import { log } from '#lib/log.ts'
import { type Db, sql } from './db.ts'

const folder = fileURLToPath(new URL('./migrations', import.meta.url))

/**
 * Brings the database's own tables up to date: plain SQL files in their number's order, forward only, all pending ones in
 * one transaction, one process at a time (advisory lock). Returns the names of those it ran.
 */
export async function migrate(databaseUrl: string): Promise<string[]> {
  const ran = await runner({
    databaseUrl,
    dir: folder,
    direction: 'up',
    migrationsTable: 'migrations',
    migrationsSchema: 'public',
    checkOrder: true,
    advisoryLockMode: 'wait',
    log: (message) => log.debug(message),
  })
  return ran.map((migration) => migration.name)
}

/** The names of migrations that this database has yet to run. */
export async function pendingMigrations(db: Db): Promise<string[]> {
  const known = (await readdir(folder)).filter((file) => file.endsWith('.sql')).map((file) => file.slice(0, -4))
  const Row = z.object({ name: z.string() })
  const ran = new Set(await db.anyFirst(sql.type(Row)`select name from public.migrations`))
  return known.filter((name) => !ran.has(name)).sort()
}
