/** Reads CSV files of imports in a thread, because a file of commas has millions of fields. */

import type { Fault } from '#lib/errors.ts'
import { readCsvCell } from '../../http/csv-line.ts'
import { parseRows } from '../contacts/csv-parse.ts'

export const maxRows = 20_000

export interface CsvRow {
  line: number
  fields: Record<string, string>
}

export interface Columns {
  /** Names of the fields of the list. */
  fields: readonly string[]
  /** Field by the name of a column, in lower case. Other columns with the name of a field are also read. */
  mapped: Readonly<Record<string, string>>
}

/** Returns the known columns of each row, with its line number. Empty lines are skipped. */
export function work({ text, fields, mapped }: Columns & { text: string }): { rows: CsvRow[] } | { faults: Fault[] } {
  const records = parseRows(text, maxRows)
  if (typeof records === 'string') return fault('body', records)
  const [header, ...rest] = records
  const names = (header?.record ?? []).map((name) => name.trim().toLowerCase())
  const lost = Object.keys(mapped).filter((column) => !names.includes(column))
  if (lost.length > 0) return fault('query.map', `names the column ${lost[0]}, which does not exist`)
  const taken = new Set(Object.values(mapped))
  const fieldOf = (name: string) =>
    (Object.hasOwn(mapped, name) ? mapped[name] : undefined) ??
    (fields.includes(name) && !taken.has(name) ? name : undefined)
  const places = names.flatMap((name, at) => {
    const field = fieldOf(name)
    return field !== undefined && names.indexOf(name) === at ? [[field, at] as const] : []
  })
  if (!places.some(([field]) => field === 'email'))
    return fault('body', 'must start with a line of column names, including email')
  const rows = rest.flatMap(({ record, info }) => {
    if (record.every((value) => value.trim() === '')) return []
    const read = places.map(([field, at]) => [field, readCsvCell((record[at] ?? '').trim())] as const)
    return [{ line: info.lines, fields: Object.fromEntries(read.filter(([, value]) => value !== '')) }]
  })
  return rows.length > 0 ? { rows } : fault('body', 'must have at least one row after the column names')
}

const fault = (field: string, issue: string) => ({ faults: [{ field, issue }] })
