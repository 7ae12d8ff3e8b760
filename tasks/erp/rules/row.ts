/** A record of a file. */
export interface Row {
  /** The line that it ends on; of JSON, which record it is. */
  line: number
  /** What stands under a heading, or at a path of JSON; empty when nothing does. */
  get(heading: string): string
  /** What is wrong with all of it: it is left out. */
  fault?: string
  /** What a record of JSON is. */
  json?: unknown
}

/** What is known of a file beforehand. */
export interface FileShape {
  /** Headings, or paths in a record of JSON, without which it is another file. */
  headings: readonly string[]
  /** The names under which its records lie in a file of JSON; none when they are the whole of it. */
  records: readonly string[]
}

/** A record by our names of values: each is read from the column that `mapping` names, and is a text that follows `=`. */
export const mapped = (row: Row, mapping: Readonly<Record<string, string>>): Row => ({
  ...row,
  get(heading) {
    const from = Object.hasOwn(mapping, heading) ? mapping[heading] : undefined
    if (from === undefined) return ''
    return from.startsWith('=') ? from.slice(1) : row.get(from)
  },
})
