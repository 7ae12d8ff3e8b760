export interface Row {
  /** Number of the line at which the record ends. For JSON, the number of the record. */
  line: number
  /** Returns the value of a heading or a JSON path. Empty if it has no value. */
  get(heading: string): string
  /** Fault of the whole record, which is omitted. */
  fault?: string
  json?: unknown
}

export interface FileShape {
  headings: readonly string[]
  /** Path of the records in a JSON file. Empty if they are the whole file. */
  records: readonly string[]
  /** Name of the records’ element in an XML file. Undefined if XML is not accepted. */
  element?: string | undefined
}

/**
 * Returns a record with Millrace’s field names. Each field is read from its mapped column, or is the constant after
 * `=`.
 */
export const mapRow = (row: Row, mapping: Readonly<Record<string, string>>): Row => ({
  ...row,
  get(heading) {
    const from = Object.hasOwn(mapping, heading) ? mapping[heading] : undefined
    if (from === undefined) return ''
    return from.startsWith('=') ? from.slice(1) : row.get(from)
  },
})
