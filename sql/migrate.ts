import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import pg from 'pg'
import { z } from 'zod'
import { describe } from '#lib/errors.ts'
import { log } from '#lib/log.ts'
import { listExecutedMigrations, markBaselines } from './baselines.ts'
import { makeIndexes } from './concurrent-indexes.ts'
import { type Db, sql } from './db.ts'

const folder = fileURLToPath(new URL('./migrations', import.meta.url))

export interface MigrateOptions {
  dir?: string
  /**
   * Maximum time that a statement waits for a table lock, in milliseconds. During this time, later statements wait
   * behind this statement.
   */
  lockMs?: number
  tries?: number
}

/** Error codes: lock not available, and a deadlock that Postgres ended. */
const heldByOthers = new Set<string | undefined>(['55P03', '40P01'])

const turnMs = 250

/** Delay before a migration is retried, in milliseconds. Waiting statements can complete in this time. */
const restMs = 1_000

/**
 * Updates the database’s tables with plain SQL files in numeric order. Migrations only go forward. Each migration runs
 * in a separate transaction. An advisory lock lets only one process migrate at a time. Completed migrations stay if a
 * later migration fails. In a database of the release before the baselines, the baselines are marked as run.
 * Returns the names of the executed migrations.
 *
 * If a table has rows, one migration adds a check as `not valid` and a later migration validates it. A complete check
 * would block writes while it reads the table. Indexes of tables with rows use `create index if not exists NAME on
 * SCHEMA.TABLE`. They are created before the migration, without blocking writes.
 */
export async function migrate(
  databaseUrl: string,
  { dir = folder, lockMs = 3_000, tries = 20 }: MigrateOptions = {},
): Promise<string[]> {
  const dbClient = new pg.Client({ connectionString: databaseUrl })
  await dbClient.connect()
  try {
    await takeTurn(dbClient)
    const waitFor = (ms: number) => dbClient.query("select set_config('lock_timeout', $1, false)", [`${ms}ms`])
    await waitFor(lockMs)
    const known = await migrationsOf(dir)
    await withRetries(() => markBaselines(dbClient, known), tries)
    const before = await listExecutedMigrations(dbClient)
    checkOrder(before, known)
    const ran: string[] = []
    for (;;) {
      const file = known[before.length + ran.length]
      if (file === undefined) return ran
      const text = await readFile(join(dir, `${file}.sql`), 'utf8')
      // No statement waits behind a concurrent index creation, so the creation has no timeout.
      await waitFor(0)
      await withRetries(() => makeIndexes(dbClient, text), tries)
      await waitFor(lockMs)
      const next = await withRetries(() => runNext(dbClient, dir), tries)
      if (next === undefined) return ran
      ran.push(next)
    }
  } finally {
    await dbClient.end()
  }
}

/** Key of the advisory lock. node-pg-migrate uses the same key. */
const lockId = 7_241_865_325_823_964

/**
 * Waits until no other process migrates. Polls for the lock, because a concurrent index creation would wait for a
 * waiting statement.
 */
async function takeTurn(client: pg.Client): Promise<void> {
  for (;;) {
    const { rows } = await client.query('select pg_try_advisory_lock($1) as mine', [lockId])
    if (rows[0].mine) return
    await pause(turnMs)
  }
}

async function runNext(dbClient: pg.Client, dir: string): Promise<string | undefined> {
  const { runner } = await import('node-pg-migrate')
  const [ran] = await runner({
    dbClient,
    dir,
    direction: 'up',
    count: 1,
    // Applies to one migration: if the migration fails, it is rolled back.
    singleTransaction: true,
    migrationsTable: 'migrations',
    migrationsSchema: 'public',
    // `checkOrder` below checks the order, because the library does not know the migrations before the baselines.
    checkOrder: false,
    noLock: true,
    log: (message) => log.debug(message),
  })
  return ran?.name
}

/**
 * Throws unless one list is the start of the other. After a newer release, the database can have executed more
 * migrations than this release has.
 */
function checkOrder(ran: string[], known: string[]): void {
  const length = Math.min(ran.length, known.length)
  const place = known.slice(0, length).findIndex((name, index) => name !== ran[index])
  if (place >= 0) throw new Error(`This database has run migration ${ran[place]} instead of ${known[place]}.`)
}

async function withRetries<T>(work: () => Promise<T>, tries: number): Promise<T> {
  for (let left = tries; ; left--) {
    try {
      return await work()
    } catch (error) {
      if (!heldByOthers.has((error as { code?: string }).code) || left <= 1) throw error
      log.warn({ err: describe(error) }, 'a migration is waiting for a locked table')
      await pause(restMs)
    }
  }
}

export async function listPendingMigrations(db: Db): Promise<string[]> {
  const known = await migrationsOf(folder)
  const Row = z.object({ name: z.string() })
  const ran = new Set(await db.anyFirst(sql.type(Row)`select name from public.migrations`))
  return known.filter((name) => !ran.has(name))
}

async function migrationsOf(dir: string): Promise<string[]> {
  const files = await readdir(dir)
  return files.flatMap((file) => (file.endsWith('.sql') ? [file.slice(0, -4)] : [])).sort()
}
