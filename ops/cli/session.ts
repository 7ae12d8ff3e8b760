import { existsSync } from 'node:fs'
import { hostname, userInfo } from 'node:os'
import { join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { config, isSet } from '#lib/config.ts'
import { type DatabasePool, openPool } from '#sql/db.ts'
import { type LastFacts, readFacts } from '../start/dev-facts.ts'
import { Failure } from './usage.ts'

const checkout = fileURLToPath(new URL('../..', import.meta.url))

/** The folder of the stack that is meant: MILLRACE_DATA; or else the one here; from elsewhere, the one of this checkout. */
export function dataFolder(): string {
  const here = resolve(config.MILLRACE_DATA)
  if (isSet('MILLRACE_DATA') || existsSync(join(here, 'dev.json'))) return here
  return resolve(checkout, config.MILLRACE_DATA)
}

/** What the development stack wrote down, if there is one in MILLRACE_DATA. */
export const facts = (): Promise<LastFacts> => readFacts(factsFile())

/** Where it writes that. */
export const factsFile = (): string => join(dataFolder(), 'dev.json')

/** The database that is operated: the one DATABASE_URL names, or the development stack's; throws `Failure` for none. */
export async function databaseUrl(): Promise<string> {
  const url = config.DATABASE_URL ?? (await facts()).database_url
  if (url) return url
  throw new Failure(
    `No database is set: DATABASE_URL is not set, and no stack has been started in ${dataFolder()}. Set DATABASE_URL, or set MILLRACE_DATA to the folder of a running stack.`,
  )
}

/** Does a command's work on the database; the pool ends with it. */
export async function withDatabase<T>(work: (db: DatabasePool) => Promise<T>): Promise<T> {
  const db = await openPool(await databaseUrl(), 4)
  try {
    return await work(db)
  } finally {
    await db.end()
  }
}

/** Who acts, as it is noted beside what was done. */
export const actor = (): string => `${userInfo().username}@${hostname()}`
