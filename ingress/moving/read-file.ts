import { badRequest, type Fault, Problem } from '#lib/errors.ts'
import { ThreadLimitError, threadPool } from '#lib/threads.ts'
import type { Part, Provider } from '#sql/moving/imports.ts'
import { deviceOf } from '#tasks/moving/rules/files/onesignal.ts'
import { contactOf, suppressionOf } from '#tasks/moving/rules/files/records.ts'
import { templateOf } from '#tasks/moving/rules/files/templates.ts'
import { type PreparedRow, prepareRows } from '#tasks/moving/rules/prepare-rows.ts'
import type { Given } from '#tasks/moving/rules/providers/source.ts'
import type { work } from './csv-thread.ts'

/** One organisation can use half of the threads, so its files do not block the files of others. */
const limits = { threads: 2, seconds: 10, megabytes: 256, waiting: 40, ofOne: { threads: 1, waiting: 10 } }
const threads = threadPool<typeof work>(new URL('./csv-thread.ts', import.meta.url), limits)

interface File {
  orgId: string
  provider: Provider
  part: Part
}

/** Returns the rows of a CSV file of the provider. Throws 400 for a file that cannot be read. */
export async function readCsv({ orgId, provider, part }: File, text: string): Promise<PreparedRow[]> {
  const read = await threads.run(text, undefined, orgId).catch(refuse)
  if (typeof read === 'string') throw badRequest([{ field: 'body.csv', issue: read }])
  const needed = part === 'devices' ? ['identifier', 'devicetype'] : []
  const missing = needed.filter((name) => !(name in (read[0]?.names ?? {})))
  if (missing.length > 0)
    throw badRequest([{ field: 'body.csv', issue: 'must have the columns identifier and device_type' }])
  if (part === 'devices') return read.map(deviceOf)
  const given = read.map((record) => (part === 'contacts' ? contactOf(record) : suppressionOf(provider, record)))
  return await prepareRows(orgId, provider, given)
}

/** Returns the rows of templates in the JSON form of the provider’s API. Throws 400 with every invalid template. */
export async function readTemplates({ orgId, provider }: File, given: readonly unknown[]): Promise<PreparedRow[]> {
  const read = given.map((one) => templateOf(provider, one))
  const faults = read.flatMap((one, i): Fault[] =>
    typeof one === 'string' ? [{ field: `body.templates.${i}`, issue: one }] : [],
  )
  if (faults.length > 0) throw badRequest(faults)
  return await prepareRows(orgId, provider, read as Given[])
}

function refuse(error: unknown): never {
  if (!(error instanceof ThreadLimitError)) throw error
  if (error.limit === 'time' || error.limit === 'memory')
    throw badRequest([{ field: 'body.csv', issue: 'has too many fields. Send only the columns that you need.' }])
  throw new Problem(429, 'rate_limited', 'Too many CSV files are being read. Try again later.', { retryAfter: 2 })
}
