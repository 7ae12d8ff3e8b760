/** Reads CSV files of imports in a thread, because a file of commas has millions of fields. */

import { CsvError, parse } from 'csv-parse/sync'
import type { CsvRecord } from '#tasks/moving/rules/files/records.ts'
import { readCsvCell } from '../http/csv-line.ts'

export const maxRows = 20_000

/** Returns the records of a file, or what is wrong with it. Empty lines are skipped. */
export function work(text: string): CsvRecord[] | string {
  const records = parseText(text)
  if (typeof records === 'string') return records
  const [header, ...rest] = records
  const written = (header?.record ?? []).map((name) => name.trim().slice(0, 100))
  const columns = written.map((name) => name.toLowerCase().replaceAll(/[\s_-]+/g, ''))
  const names = Object.fromEntries(columns.map((column, i) => [column, written[i] ?? column]))
  const read = rest.flatMap(({ record, info }) => {
    if (record.every((value) => value.trim() === '')) return []
    const pairs = columns.map((column, i) => [column, readCsvCell((record[i] ?? '').trim())] as const)
    return [{ line: info.lines, names, values: Object.fromEntries(pairs.filter(([name, value]) => name && value)) }]
  })
  if (read.length > maxRows) return `must have at most ${maxRows} rows. Split the file.`
  return read.length > 0 ? read : 'must have a line of column names, and at least one row'
}

function parseText(text: string): { record: string[]; info: { lines: number } }[] | string {
  const header = text.slice(0, 2_000).split(/\r?\n/, 1)[0] ?? ''
  const delimiter = [';', '\t'].find((each) => header.includes(each) && !header.includes(',')) ?? ','
  try {
    const options = { bom: true, delimiter, info: true, relax_column_count: true, to: maxRows + 2 }
    return parse(text, { ...options, max_record_size: 65_536 }) as never
  } catch (error) {
    if (!(error instanceof CsvError)) throw error
    return `must be CSV: ${error.message.slice(0, 200)}`
  }
}
