import { mayHaveChecksum } from '../archives/tar-header.ts'
import { chunksOf, type Source } from '../source.ts'
import { all, encoded, type Mark, sure } from './embedded.ts'

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

/** Notes where marks stand in bytes that pass chunk by chunk; fewer where the kind of the bytes is known to be that of a program's own data. */
export class Marks {
  /** How many bytes have passed. */
  size = 0
  readonly #starts: Map<Mark, number[]>
  #hasTar = false
  /** The last bytes that passed, in which a mark or a block may have begun. */
  #kept: Buffer = Buffer.alloc(0)

  constructor(isKnown: boolean) {
    this.#starts = new Map([...(isKnown ? sure : all), encoded].map((mark) => [mark, []]))
  }

  /** Looks at the next bytes. */
  add(chunk: Buffer): void {
    const bytes = this.#kept.length === 0 ? chunk : Buffer.concat([this.#kept, chunk])
    const start = this.size - this.#kept.length
    this.#findMarks(bytes, start)
    if (!this.#hasTar) this.#findTar(bytes, start)
    this.size += chunk.length
    this.#kept = Buffer.from(bytes.subarray(Math.max(0, bytes.length - lookBehind)))
  }

  /** Whether there is any chance of an archive in what has passed. */
  get isAny(): boolean {
    return this.#hasTar || [...this.#starts.values()].some((starts) => starts.length > 0)
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

  /** One search for each mark: several times as fast as one look at each byte. */
  #findMarks(bytes: Buffer, start: number): void {
    for (const [mark, starts] of this.#starts) {
      const { length } = mark.bytes
      // What ended among the bytes before was noted with them.
      const first = Math.max(0, this.#kept.length - length + 1)
      for (let at = bytes.indexOf(mark.bytes, first); at !== -1; at = bytes.indexOf(mark.bytes, at + 1)) {
        if (starts.length > mostChances) break
        if (mark.mayBe?.(bytes, at) ?? true) starts.push(start + at)
      }
    }
  }

  #findTar(bytes: Buffer, start: number): void {
    // The first that was not whole before; the first of all is the file itself.
    const last = Math.floor(this.size / block) * block
    for (let at = Math.max(block, last) - start; at + block <= bytes.length; at += block)
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
