import { badRequest, Problem } from '#lib/errors.ts'
import { ThreadLimit, threadPool } from '#lib/threads.ts'
import { mappingsOf } from './csv-columns.ts'
import type { ReadContact } from './csv-rows.ts'
import type { work } from './csv-thread.ts'

/** One organisation has half of the threads, so that its files keep nobody else's waiting. */
const limits = { threads: 2, seconds: 10, megabytes: 256, waiting: 40, ofOne: { threads: 1, waiting: 10 } }
const threads = threadPool<typeof work>(new URL('./csv-thread.ts', import.meta.url), limits)

/**
 * Reads a CSV file of an organisation into the body that an import has: of its columns those that the query's `map` names, and `email`.
 * Throws 400 for a file that cannot be read, and 429 while too many are being read.
 */
export async function readContactsCsv(
  text: string,
  query: URLSearchParams,
  orgId: string,
): Promise<{ contacts: ReadContact[] }> {
  const mappings = mappingsOf(query.getAll('map'))
  const read = await threads.run({ text, mappings }, undefined, orgId).catch(refuse)
  if ('faults' in read) throw badRequest(read.faults)
  return read
}

function refuse(error: unknown): never {
  if (!(error instanceof ThreadLimit)) throw error
  if (error.limit === 'time' || error.limit === 'memory')
    throw badRequest([{ field: 'body', issue: 'has too many fields. Send only the columns that you map.' }])
  throw new Problem(429, 'rate_limited', 'Too many CSV files are being read. Try again later.', {
    retryAfter: 2,
  })
}
