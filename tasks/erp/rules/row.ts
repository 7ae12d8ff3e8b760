export interface Row {
  /** The line of its end. For JSON, the number of the record. */
  line: number
  /** The value of a heading or a JSON path. Empty if there is none. */
  get(heading: string): string
  /** A fault of the whole record, which is left out. */
  fault?: string
  json?: unknown
}

export interface FileShape {
  headings: readonly string[]
  /** Path of the records in a JSON file. Empty if they are the whole file. */
  records: readonly string[]
}

/** A record with our field names: each is read from its mapped column, or is the constant after `=`. */
export const mapRow = (row: Row, mapping: Readonly<Record<string, string>>): Row => ({
  ...row,
  get(heading) {
    const from = Object.hasOwn(mapping, heading) ? mapping[heading] : undefined
    if (from === undefined) return ''
    return from.startsWith('=') ? from.slice(1) : row.get(from)
  },
})
