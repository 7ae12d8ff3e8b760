import { badRequest, Problem } from '#lib/errors.ts'
import { ThreadLimitError, threadPool } from '#lib/threads.ts'
import type { Kind } from '#sql/email/imports.ts'
import { importFields } from '#tasks/email/rules/imports/read-row.ts'
import type { CsvRow, work } from './csv-thread.ts'

/** One organisation can use half of the threads, so its files do not block the files of others. */
const limits = { threads: 2, seconds: 10, megabytes: 256, waiting: 40, ofOne: { threads: 1, waiting: 10 } }
const threads = threadPool<typeof work>(new URL('./csv-thread.ts', import.meta.url), limits)

/** Returns a function that converts a CSV file to the body of an import. Throws 400 for a file that cannot be read. */
export const readImportCsv =
  (kind: Kind) =>
  async (
    text: string,
    query: URLSearchParams,
    orgId: string,
  ): Promise<{ rows: (CsvRow['fields'] & { line: number })[] }> => {
    const columns = { fields: importFields[kind], mapped: parseMap(kind, query.getAll('map')) }
    const read = await threads.run({ text, ...columns }, undefined, orgId).catch(refuse)
    if ('faults' in read) throw badRequest(read.faults)
    return { rows: read.rows.map(({ line, fields }) => ({ ...fields, line }) as CsvRow['fields'] & { line: number }) }
  }

/** Parses `map`, such as `Recipient:email`. Throws 400. */
function parseMap(kind: Kind, given: readonly string[]): Record<string, string> {
  const pairs = given.map((text) => {
    const at = text.lastIndexOf(':')
    return [text.slice(0, Math.max(at, 0)).trim().toLowerCase(), text.slice(at + 1).trim()] as const
  })
  const wrong = pairs.find(([column, field]) => column === '' || !importFields[kind].includes(field))
  if (wrong)
    throw badRequest([
      {
        field: 'query.map',
        issue: `must be a column and its field, such as Recipient:email. Fields: ${importFields[kind].join(', ')}`,
      },
    ])
  const fields = pairs.map(([, field]) => field)
  const twice = fields.find((field, i) => fields.indexOf(field) !== i)
  if (twice !== undefined) throw badRequest([{ field: 'query.map', issue: `maps two columns to ${twice}` }])
  return Object.fromEntries(pairs)
}

function refuse(error: unknown): never {
  if (!(error instanceof ThreadLimitError)) throw error
  if (error.limit === 'time' || error.limit === 'memory')
    throw badRequest([{ field: 'body', issue: 'has too many fields. Send only the columns that you need.' }])
  throw new Problem(429, 'rate_limited', 'Too many CSV files are being read. Try again later.', { retryAfter: 2 })
}
