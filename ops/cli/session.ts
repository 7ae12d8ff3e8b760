import { existsSync } from 'node:fs'
import { hostname, userInfo } from 'node:os'
import { join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { config, isSet } from '#lib/config.ts'
import { type DatabasePool, openPool } from '#sql/db.ts'
import { type LastFacts, readFacts } from '../start/dev-facts.ts'
import { CommandError } from './usage.ts'

const checkout = fileURLToPath(new URL('../..', import.meta.url))

/**
 * Returns the folder of the stack: MILLRACE_DATA, the current folder if it contains a stack, or the folder of this
 * checkout.
 */
export function dataFolder(given = config.MILLRACE_DATA): string {
  const here = resolve(given)
  if (isSet('MILLRACE_DATA') || existsSync(join(here, 'dev.json'))) return here
  return resolve(checkout, given)
}

export const readStackFacts = (): Promise<LastFacts> => readFacts(factsFile())

export const factsFile = (given?: string): string => join(dataFolder(given), 'dev.json')

/** Returns DATABASE_URL, or the database of the development stack. Throws `CommandError` if neither exists. */
export async function databaseUrl(): Promise<string> {
  const url = config.DATABASE_URL ?? (await readStackFacts()).database_url
  if (url) return url
  throw new CommandError(
    `No database is set: DATABASE_URL is not set, and no stack has been started in ${dataFolder()}.
Set DATABASE_URL, or set MILLRACE_DATA to the folder of a running stack.`,
  )
}

export async function withDatabase<T>(work: (db: DatabasePool) => Promise<T>): Promise<T> {
  const db = await openPool(await databaseUrl(), 4)
  try {
    return await work(db)
  } finally {
    await db.end()
  }
}

export const actor = (): string => `${userInfo().username}@${hostname()}`
