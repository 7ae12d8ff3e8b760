import { pipeline, Readable } from 'node:stream'
import { CsvError, parse } from 'csv-parse'
import { ImportError } from './import-error.ts'
import type { Row } from './row.ts'

/**
 * Maximum number of characters of a record. Without this limit, an unclosed quote would include the rest of the file.
 */
const longestRecord = 1_000_000

/**
 * Reads CSV records. The separator is the most frequent of `;`, `,` and tab in the first line. Throws `ImportError`,
 * for example if one of `headings` is missing.
 */
export async function* readCsv(
  head: Buffer,
  text: AsyncIterable<string>,
  headings: readonly string[],
): AsyncGenerator<Row> {
  const options = { delimiter: delimiterOf(head), info: true, trim: true, relax_column_count: true }
  const parser = parse({ ...options, skip_empty_lines: true, max_record_size: longestRecord })
  const records = pipeline(Readable.from(text), parser, () => {})
  try {
    let columns: Map<string, number> | undefined
    for await (const { record, info } of records as AsyncIterable<{ record: string[]; info: { lines: number } }>) {
      if (columns) {
        const known = columns
        yield { line: info.lines, get: (heading) => record[known.get(heading) ?? -1] ?? '' }
      } else columns = columnsOf(record, headings)
    }
    if (!columns) throw new ImportError('The file is empty.')
  } catch (error) {
    throw error instanceof CsvError ? new ImportError(`The file is not valid CSV: ${error.message}`) : error
  }
}

function columnsOf(record: string[], headings: readonly string[]): Map<string, number> {
  const columns = new Map(record.map((heading, i) => [heading.trim(), i]))
  const lacking = headings.filter((heading) => !columns.has(heading))
  if (lacking.length > 0) throw new ImportError(`The first line does not contain ${lacking.join(', ')}.`)
  return columns
}

function delimiterOf(head: Buffer): string {
  const outside = head.toString('utf8').replace(/"[^"]*"/g, '')
  const times = (delimiter: string) => outside.split(delimiter).length
  return [';', ',', '\t'].toSorted((a, b) => times(b) - times(a))[0] as string
}
