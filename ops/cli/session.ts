import { hostname, userInfo } from 'node:os'
import { join, resolve } from 'node:path'
import { config } from '#lib/config.ts'
import { type DatabasePool, openPool } from '#sql/db.ts'
import { type LastFacts, readFacts } from '../dev-facts.ts'
import { Failure } from './usage.ts'

/** What the development stack wrote down, if there is one in MILLRACE_DATA. */
export const facts = (): Promise<LastFacts> => readFacts(factsFile())

/** Where it writes that. */
export const factsFile = (): string => join(resolve(config.MILLRACE_DATA), 'dev.json')

/** The database that is operated: the one DATABASE_URL names, or the development stack's; throws `Failure` for none. */
export async function databaseUrl(): Promise<string> {
  const url = config.DATABASE_URL ?? (await facts()).database_url
  if (url) return url
  throw new Failure(
    `There is no database to look at: DATABASE_URL is not set, and no stack has been started in ${resolve(config.MILLRACE_DATA)}.
Set DATABASE_URL, or MILLRACE_DATA to the folder of a stack that runs.`,
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
