import { ImportError } from './import-error.ts'

/** Characters of the longest record. */
const longestRecord = 1_000_000

/** Characters of a name that is looked at on the way to the records. */
const longestName = 200

/** How deep a file's values may lie in each other: what nests further is no record of a register. */
const deepest = 64

const [quote, backslash, comma, colon] = [34, 92, 44, 58]
const [opens, closes, opensList, closesList] = [123, 125, 91, 93]

const isSpace = (code: number) => code === 32 || code === 10 || code === 13 || code === 9

/**
 * Cuts a file of JSON into its records while it comes, without keeping more than one: the elements of the list at `path`, or,
 * without one, of the list that it is, or the values that follow each other in it.
 */
export class JsonCutter {
  readonly #path: readonly string[]
  /** Where we are on the way to the records: names of the objects that are open. */
  readonly #names: string[] = []
  #depth = 0
  /** The depth of the records' list; of values that follow each other, 0. */
  #listAt: number | undefined
  #inText = false
  #escaped = false
  #name = ''
  /** The record that has begun, as far as it came with earlier chunks. */
  #begun: string | undefined
  /** Where in this chunk it goes on; -1 when none has begun. */
  #from = -1
  #isOver = false

  constructor(path: readonly string[]) {
    this.#path = path
  }

  /** Whether the list of the records was there, and is closed. */
  get isWhole(): boolean {
    return this.#isOver || (this.#listAt === 0 && this.#depth === 0 && this.#begun === undefined)
  }

  /** The records that end in a chunk. */
  push(chunk: string): readonly string[] {
    const found: string[] = []
    this.#from = this.#begun === undefined ? -1 : 0
    for (let at = 0; at < chunk.length && !this.#isOver; at++) {
      if (this.#inText) at = this.#passText(chunk, at)
      else {
        const record = this.#take(chunk, at)
        if (record !== undefined) found.push(record)
      }
    }
    if (this.#from >= 0) this.#begun = (this.#begun ?? '') + chunk.slice(this.#from)
    if ((this.#begun?.length ?? 0) > longestRecord)
      throw new ImportError(
        `A record has more than ${longestRecord} characters. Set the path of the records in the file.`,
      )
    return found
  }

  /** Goes to where a text ends, or the chunk does. */
  #passText(chunk: string, from: number): number {
    let at = from
    for (; at < chunk.length; at++) {
      const code = chunk.charCodeAt(at)
      if (this.#escaped) this.#escaped = false
      else if (code === backslash) this.#escaped = true
      else if (code === quote) {
        this.#inText = false
        break
      }
    }
    if (this.#listAt === undefined) this.#name = (this.#name + chunk.slice(from, at)).slice(0, longestName)
    return at
  }

  /** Looks at a character outside of texts; the record that ends with it, if one does. */
  #take(chunk: string, at: number): string | undefined {
    const code = chunk.charCodeAt(at)
    if (isSpace(code)) return undefined
    if (this.#listAt !== undefined && this.#depth === this.#listAt && this.#listAt > 0) {
      if (code === comma || code === closesList) {
        this.#isOver = code === closesList
        return this.#cut(chunk, at)
      }
      if (this.#from < 0) this.#from = at
    }
    this.#step(code)
    if (this.#listAt !== 0) return undefined
    if (this.#from < 0 && code === opens) this.#from = at
    return this.#depth === 0 && code === closes ? this.#cut(chunk, at + 1) : undefined
  }

  #cut(chunk: string, end: number): string | undefined {
    if (this.#from < 0) return undefined
    const record = (this.#begun ?? '') + chunk.slice(this.#from, end)
    this.#begun = undefined
    this.#from = -1
    return record
  }

  /** What a character outside of texts changes. */
  #step(code: number): void {
    if (code === quote) {
      this.#inText = true
      this.#name = ''
    } else if (code === opens || code === opensList) this.#open(code === opensList)
    else if (code === closes || code === closesList) {
      this.#depth--
      if (this.#listAt === undefined) this.#names.length = Math.min(this.#names.length, this.#depth)
      if (this.#depth < 0) throw new ImportError('The file is not valid JSON: it has too many closing brackets.')
    } else if (code === colon && this.#listAt === undefined) this.#names[this.#depth - 1] = this.#name
  }

  #open(isList: boolean): void {
    if (this.#listAt === undefined && this.#isThere()) {
      if (isList) this.#listAt = this.#depth + 1
      else if (this.#path.length === 0) this.#listAt = 0
    }
    if (++this.#depth > deepest) throw new ImportError(`The file has more than ${deepest} levels of nesting.`)
  }

  #isThere(): boolean {
    return this.#depth === this.#path.length && this.#path.every((name, i) => this.#names[i] === name)
  }
}
