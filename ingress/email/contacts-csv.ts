import { CsvError, parse } from 'csv-parse/sync'
import { badRequest } from '#lib/errors.ts'
import { type Mapping, mappingsOf, type ReadContact, valuesOf } from './csv-columns.ts'

export const maxImport = 10_000

const fault = (issue: string) => badRequest([{ field: 'body', issue }])

/**
 * Reads a CSV file (RFC 4180; also with semicolons or tabs, as spreadsheets write it) into the body that an import has: of its columns
 * those that the query's `map` names, and `email`. Each contact is named by its line, empty ones are left out. Throws 400.
 */
export function readContactsCsv(text: string, query: URLSearchParams): { contacts: ReadContact[] } {
  const mappings = mappingsOf(query.getAll('map'))
  const rows = parseRows(text)
  const [header, ...records] = rows
  const columns = placesOf(header?.record ?? [], mappings)
  const contacts = records.flatMap(({ record, info }) => {
    const isEmpty = record.every((value) => value.trim() === '')
    return isEmpty ? [] : [valuesOf(record, columns, info.lines)]
  })
  return { contacts }
}

/** Which column each mapping means, by its name in whatever case; of those with one name the first. */
function placesOf(header: readonly string[], mappings: readonly Mapping[]): [number, Mapping][] {
  const names = header.map((name) => name.trim().toLowerCase())
  const places = mappings.map((mapping): [number, Mapping] => [names.indexOf(mapping.column.toLowerCase()), mapping])
  const lost = places.filter(([at]) => at < 0).map(([, mapping]) => mapping)
  if (lost.some(({ isGiven }) => !isGiven)) {
    throw fault('must begin with a line that names its columns, one of them email')
  }
  if (lost.length > 0) {
    throw badRequest(
      lost.map(({ column }) => ({ field: 'query.map', issue: `names the column ${column}, which is not there` })),
    )
  }
  return places
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
