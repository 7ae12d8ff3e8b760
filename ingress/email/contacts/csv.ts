import { badRequest, Problem } from '#lib/errors.ts'
import { ThreadLimitError, threadPool } from '#lib/threads.ts'
import { parseMappings } from './csv-columns.ts'
import type { ReadContact } from './csv-rows.ts'
import type { work } from './csv-thread.ts'

/**
 * Limits of the thread pool. One organisation can use half of the threads, so its files do not block the files of
 * others.
 */
const limits = { threads: 2, seconds: 10, megabytes: 256, waiting: 40, ofOne: { threads: 1, waiting: 10 } }
const threads = threadPool<typeof work>(new URL('./csv-thread.ts', import.meta.url), limits)

/**
 * Converts a CSV file to the JSON body of an import. Reads the column `email` and the columns in the parameter `map`.
 * Throws 400 for a file that cannot be read, and 429 while too many files are being read.
 */
export async function readContactsCsv(
  text: string,
  query: URLSearchParams,
  orgId: string,
): Promise<{ contacts: ReadContact[] }> {
  const mappings = parseMappings(query.getAll('map'))
  const read = await threads.run({ text, mappings }, undefined, orgId).catch(refuse)
  if ('faults' in read) throw badRequest(read.faults)
  return read
}

function refuse(error: unknown): never {
  if (!(error instanceof ThreadLimitError)) throw error
  if (error.limit === 'time' || error.limit === 'memory')
    throw badRequest([{ field: 'body', issue: 'has too many fields. Send only the columns that you map.' }])
  throw new Problem(429, 'rate_limited', 'Too many CSV files are being read. Try again later.', {
    retryAfter: 2,
  })
}
