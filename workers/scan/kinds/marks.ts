import { mayHaveChecksum } from '../archives/tar-header.ts'
import { chunksOf, type Source } from '../source.ts'
import { all, encoded, type Mark, sure } from './embedded.ts'
import { MarkSearch } from './mark-search.ts'

const mostChances = 2000
/** Bytes before those that pass that are at hand: more than any archive begins before its mark, but those whose marks say enough. */
const lookBehind = 2048
/** Bytes from a mark on that bear it out. */
const followingSize = 8 * 1024
/** Bytes of a block of tar, of whose headers GNU's looks at each block of a file where it finds none at its start. */
const block = 512

/** Whether bytes that nobody should read hold what a ZIP archive begins or ends with. */
export const hasZip = (bytes: Buffer): boolean =>
  bytes.includes('PK\x03\x04', 0, 'latin1') || bytes.includes('PK\x05\x06', 0, 'latin1')

const searches = { sure: new MarkSearch([...sure, encoded]), all: new MarkSearch([...all, encoded]) }

/** Notes where marks stand in bytes that pass chunk by chunk; fewer where the kind of the bytes is known to be that of a program's own data. */
export class Marks {
  /** How many bytes have passed. */
  size = 0
  readonly #search: MarkSearch
  readonly #starts = new Map<Mark, number[]>()
  #hasTar = false
  /** The last bytes that passed, in which a mark or a block may have begun. */
  #kept: Buffer = Buffer.alloc(0)

  constructor(isKnown: boolean) {
    this.#search = isKnown ? searches.sure : searches.all
  }

  /** Looks at the next bytes: at the first of them behind the last ones before, at the others where they lie. */
  add(chunk: Buffer): void {
    const before = this.#kept.length
    const lead = Buffer.concat([this.#kept, chunk.subarray(0, 2 * lookBehind)])
    this.#look(lead, this.size - before, { from: before, to: before + Math.min(chunk.length, lookBehind) })
    if (chunk.length > lookBehind) this.#look(chunk, this.size, { from: lookBehind, to: chunk.length })
    this.size += chunk.length
    this.#kept = Buffer.from((chunk.length < lookBehind ? lead : chunk).subarray(-lookBehind))
  }

  /** Whether there is any chance of an archive in what has passed. */
  get isAny(): boolean {
    return this.#hasTar || this.#starts.size > 0
  }

  /** Where the lines begin behind which a file by uuencode may stand; null where there are too many to be known. */
  get encodings(): number[] | null {
    const starts = this.#starts.get(encoded) ?? []
    return starts.length > mostChances ? null : starts.map((start) => start + 1)
  }

  /** Whether an archive begins at one of them. */
  async holdArchive(source: Source): Promise<boolean> {
    if (this.#hasTar) return true
    for (const [mark, starts] of this.#starts) {
      if (mark === encoded) continue
      if (starts.length > mostChances) return true
      for (const start of starts) {
        const from = start - (mark.before ?? 0)
        if (from >= 0 && mark.isBorneOut(await source.read(from, from + followingSize))) return true
      }
    }
    return false
  }

  /** Notes what ends in a range of bytes that begin at `start`, and was not whole before it. */
  #look(bytes: Buffer, start: number, { from, to }: { from: number; to: number }): void {
    this.#findMarks(bytes, start, from, to)
    if (!this.#hasTar) this.#findTar(bytes, start, from, to)
  }

  #findMarks(bytes: Buffer, start: number, from: number, to: number): void {
    for (const { mark, at } of this.#search.endingIn(bytes, from, to)) {
      const starts = this.#starts.get(mark) ?? []
      if (starts.length > mostChances || mark.mayBe?.(bytes, at) === false) continue
      starts.push(start + at)
      this.#starts.set(mark, starts)
    }
  }

  #findTar(bytes: Buffer, start: number, from: number, to: number): void {
    // The first of all is the file itself.
    const first = Math.max(block, Math.ceil((start + from - block + 1) / block) * block) - start
    for (let at = first; at + block <= to; at += block)
      if (isSumLike(bytes, at) && mayHaveChecksum(bytes.subarray(at, at + block))) this.#hasTar = true
  }
}

/** Whether the place of the sum has digits, and beside them blanks and zeros alone. */
function isSumLike(bytes: Buffer, at: number): boolean {
  let digits = 0
  for (let i = at + 148; i < at + 156; i++) {
    const byte = bytes[i] ?? 0xff
    if (byte >= 0x30 && byte <= 0x37) digits += 1
    else if (byte !== 0 && byte !== 0x20) return false
  }
  return digits > 0
}

/** Whether an archive begins anywhere in a source; `isKnown` says whether its kind is, `marks` what was found as it arrived. */
export async function holdsArchive(source: Source, isKnown: boolean, marks: Marks | null = null): Promise<boolean> {
  if (marks?.size === source.size) return await marks.holdArchive(source)
  const found = new Marks(isKnown)
  for await (const chunk of chunksOf(source)) found.add(chunk)
  return await found.holdArchive(source)
}
