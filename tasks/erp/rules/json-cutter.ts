import { ImportError } from './import-error.ts'

const longestRecord = 1_000_000

const longestName = 200

/** Maximum nesting depth. Records of registers have less. */
const deepest = 64

const [quote, backslash, comma, colon] = [34, 92, 44, 58]
const [opens, closes, opensList, closesList] = [123, 125, 91, 93]

const isSpace = (code: number) => code === 32 || code === 10 || code === 13 || code === 9

/**
 * Splits a JSON stream into records and keeps only one record in memory. Records are the elements of the list at
 * `path`, the elements of the top-level list, or consecutive values.
 */
export class JsonCutter {
  readonly #path: readonly string[]
  /** Names of the open objects on the path to the records. */
  readonly #names: string[] = []
  #depth = 0
  /** Depth of the record list. 0 for consecutive values. */
  #listAt: number | undefined
  #inText = false
  #escaped = false
  #name = ''
  /** Start of a record from earlier chunks. */
  #begun: string | undefined
  /** Position in this chunk. -1 if no record has started. */
  #from = -1
  #isOver = false

  constructor(path: readonly string[]) {
    this.#path = path
  }

  /** True if the record list was found and is closed. */
  get isWhole(): boolean {
    return this.#isOver || (this.#listAt === 0 && this.#depth === 0 && this.#begun === undefined)
  }

  /** Returns the records that end in this chunk. */
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

  /** Moves to the end of a string or of the chunk. */
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

  /** Handles a character outside of strings. Returns the record that ends with it. */
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

  /** Updates the state for a character outside of strings. */
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
