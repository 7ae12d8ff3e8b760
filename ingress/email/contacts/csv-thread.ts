/** Reads CSV files in a thread, because a file of commas has millions of fields. Imports only the parser. */
import type { Fault } from '#lib/errors.ts'
import { parseRows } from './csv-parse.ts'
import { type Mapping, type ReadContact, toCsvContact } from './csv-rows.ts'

export const maxImport = 10_000

/** Maximum number of values of all contacts in a file. JSON bodies have the same limit. */
const maxValues = 100_000

type ReadCsv = { contacts: ReadContact[] } | { faults: Fault[] }

/**
 * Reads the mapped columns of a CSV file (RFC 4180). Semicolons or tabs are also allowed, because spreadsheets use
 * them. Each contact has its line number. Empty lines are skipped.
 */
export function work({ text, mappings }: { text: string; mappings: readonly Mapping[] }): ReadCsv {
  const rows = parseRows(text, maxImport)
  if (typeof rows === 'string') return fault(rows)
  const [header, ...records] = rows
  const columns = placesOf(header?.record ?? [], mappings)
  if ('faults' in columns) return columns
  const contacts: ReadContact[] = []
  let values = 0
  for (const { record, info } of records) {
    if (record.every((value) => value.trim() === '')) continue
    const contact = toCsvContact(record, columns.places, info.lines)
    values += 1 + Object.keys(contact.attributes ?? {}).length + (contact.tags?.length ?? 0)
    if (values > maxValues) return fault(`must have at most ${maxValues} values`)
    contacts.push(contact)
  }
  return { contacts }
}

const fault = (issue: string): ReadCsv => ({ faults: [{ field: 'body', issue }] })

/** Returns the column of each mapping. Case is ignored. If two columns have the same name, the first one is used. */
function placesOf(
  header: readonly string[],
  mappings: readonly Mapping[],
): { places: [number, Mapping][] } | { faults: Fault[] } {
  const names = header.map((name) => name.trim().toLowerCase())
  const places = mappings.map((mapping): [number, Mapping] => [names.indexOf(mapping.column.toLowerCase()), mapping])
  const lost = places.filter(([at]) => at < 0).map(([, mapping]) => mapping)
  if (lost.length === 0) return { places }
  if (lost.some(({ isGiven }) => !isGiven))
    return { faults: [{ field: 'body', issue: 'must start with a line of column names, including email' }] }
  return {
    faults: lost.map(({ column }) => ({
      field: 'query.map',
      issue: `names the column ${column}, which does not exist`,
    })),
  }
}
