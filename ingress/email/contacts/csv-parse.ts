import { CsvError, parse } from 'csv-parse/sync'

export interface Row {
  record: string[]
  /** `lines` is the number of the record's last line, starting at 1. */
  info: { lines: number }
}

/** Returns the header and up to `most` + 1 records of a file, or an error message if the file is invalid. */
export function parseRows(text: string, most: number): Row[] | string {
  const header = text.slice(0, 1_000).split(/\r?\n/, 1)[0] ?? ''
  const delimiter = [';', '\t'].find((each) => header.includes(each) && !header.includes(',')) ?? ','
  try {
    const options = {
      bom: true,
      delimiter,
      info: true,
      relax_column_count: true,
      to: most + 2,
      max_record_size: 65_536,
    }
    return parse(text, options) as unknown as Row[]
  } catch (error) {
    if (!(error instanceof CsvError)) throw error
    return `must be CSV: ${error.message.slice(0, 200)}`
  }
}
