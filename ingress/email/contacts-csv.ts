import { CsvError, parse } from 'csv-parse/sync'
import { badRequest } from '#lib/errors.ts'

export const maxImport = 10_000

const fault = (issue: string) => badRequest([{ field: 'body', issue }])

/**
 * Reads a CSV file (RFC 4180; also with semicolons or tabs, as spreadsheets write it) into the body that an import has; of its columns
 * `email` is taken. Each contact is named by its line, empty ones are left out. Throws 400.
 */
export function readContactsCsv(text: string): { contacts: { email: string; line: number }[] } {
  const rows = parseRows(text)
  const [header, ...records] = rows
  const column = header?.record.findIndex((name) => name.trim().toLowerCase() === 'email') ?? -1
  if (column < 0) throw fault('must begin with a line that names its columns, one of them email')
  const contacts = records.flatMap(({ record, info }) => {
    const email = record[column]?.trim() ?? ''
    return email === '' && record.every((value) => value.trim() === '') ? [] : [{ email, line: info.lines }]
  })
  return { contacts }
}

interface Row {
  record: string[]
  /** `lines`: where the record ends, from 1. */
  info: { lines: number }
}

function parseRows(text: string): Row[] {
  const header = text.slice(0, 1_000).split(/\r?\n/, 1)[0] ?? ''
  const delimiter = [';', '\t'].find((each) => header.includes(each) && !header.includes(',')) ?? ','
  try {
    const options = {
      bom: true,
      delimiter,
      info: true,
      relax_column_count: true,
      to: maxImport + 2,
      max_record_size: 65_536,
    }
    return parse(text, options) as unknown as Row[]
  } catch (error) {
    if (!(error instanceof CsvError)) throw error
    throw fault(`is not CSV: ${error.message.slice(0, 200)}`)
  }
}
