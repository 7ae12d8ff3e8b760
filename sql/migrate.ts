import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import pg from 'pg'
import { z } from 'zod'
import { describe } from '#lib/errors.ts'
import { log } from '#lib/log.ts'
import { makeIndexes } from './concurrent-indexes.ts'
import { type Db, sql } from './db.ts'
import { markBaselines, ranMigrations } from './former-migrations.ts'

const folder = fileURLToPath(new URL('./migrations', import.meta.url))

/** How migrations are run; all of it has a default. */
export interface MigrateOptions {
  dir?: string
  /** Milliseconds that a statement waits for a table: as long as it does, all who come after it wait behind it. */
  lockMs?: number
  /** How often a migration is tried again that did not get a table in time. */
  tries?: number
}

/** Lock not available, and a deadlock that it ended for. */
const heldByOthers = new Set<string | undefined>(['55P03', '40P01'])

/** Milliseconds between two tries to be the process that migrates. */
const turnMs = 250

/** Milliseconds in which those who waited behind a migration get through, before it is tried again. */
const restMs = 1_000

/**
 * Brings the database's own tables up to date: plain SQL files in their number's order, forward only, each in a transaction of
 * its own, one process at a time (advisory lock). What has run stays when a later one fails. Where the migrations of former
 * releases made what the first ones make, these are marked as run. Returns the names of those it ran.
 *
 * A check on a table that has rows is added `not valid` by one migration and validated by a later one: adding it whole reads
 * the table while nobody may write to it. Indexes of tables that have rows are asked for by `create index if not exists NAME on
 * SCHEMA.TABLE`: they are made beforehand, while others write.
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
    const before = await ranMigrations(dbClient)
    checkOrder(before, known)
    const ran: string[] = []
    for (;;) {
      const file = known[before.length + ran.length]
      if (file === undefined) return ran
      const text = await readFile(join(dir, `${file}.sql`), 'utf8')
      // Nobody waits behind what makes an index so, however long it waits itself.
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

/** Of the advisory lock that node-pg-migrate takes, too. */
const lockId = 7_241_865_325_823_964

/** Waits until no other process migrates; without a statement that waits, as indexes are made only when those before are over. */
async function takeTurn(client: pg.Client): Promise<void> {
  for (;;) {
    const { rows } = await client.query('select pg_try_advisory_lock($1) as mine', [lockId])
    if (rows[0].mine) return
    await pause(turnMs)
  }
}

/** Runs the first migration that this database lacks; its name, or nothing when it lacks none. */
async function runNext(dbClient: pg.Client, dir: string): Promise<string | undefined> {
  const { runner } = await import('node-pg-migrate')
  const [ran] = await runner({
    dbClient,
    dir,
    direction: 'up',
    count: 1,
    // Of that one: it is rolled back when it fails.
    singleTransaction: true,
    migrationsTable: 'migrations',
    migrationsSchema: 'public',
    // By us, as the library knows no former migrations.
    checkOrder: false,
    noLock: true,
    log: (message) => log.debug(message),
  })
  return ran?.name
}

/** Whether what has run is the beginning of what there is, or the other way round: so it is where a newer release was. */
function checkOrder(ran: string[], known: string[]): void {
  const length = Math.min(ran.length, known.length)
  const place = known.slice(0, length).findIndex((name, index) => name !== ran[index])
  if (place >= 0)
    throw new Error(`This database has run migration ${ran[place]} where ${known[place]} should have been.`)
}

async function withRetries<T>(work: () => Promise<T>, tries: number): Promise<T> {
  for (let left = tries; ; left--) {
    try {
      return await work()
    } catch (error) {
      if (!heldByOthers.has((error as { code?: string }).code) || left <= 1) throw error
      log.warn({ err: describe(error) }, 'a migration waits for a table that somebody holds')
      await pause(restMs)
    }
  }
}

/** The names of migrations that this database has yet to run. */
export async function pendingMigrations(db: Db): Promise<string[]> {
  const known = await migrationsOf(folder)
  const Row = z.object({ name: z.string() })
  const ran = new Set(await db.anyFirst(sql.type(Row)`select name from public.migrations`))
  return known.filter((name) => !ran.has(name))
}

/** The names of a folder's migrations, in their order. */
async function migrationsOf(dir: string): Promise<string[]> {
  const files = await readdir(dir)
  return files.flatMap((file) => (file.endsWith('.sql') ? [file.slice(0, -4)] : [])).sort()
}
