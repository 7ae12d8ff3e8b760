import type { Mark } from './embedded.ts'
import { Needles } from './needles.ts'

/** A mark, and where it stands in bytes. */
interface Found {
  mark: Mark
  at: number
}

/** The search for marks of which none begins another. */
export class MarkSearch {
  readonly #needles: Needles
  readonly #longest: number
  /** By their first two bytes, which are all of some. */
  readonly #byStart: Map<number, Mark[]>

  constructor(marks: readonly Mark[]) {
    this.#needles = new Needles(marks.map(({ bytes }) => bytes))
    this.#longest = Math.max(...marks.map(({ bytes }) => bytes.length))
    this.#byStart = Map.groupBy(marks, ({ bytes }) => bytes.readUInt16BE())
  }

  /** The marks whose last byte lies from `from` to before `to`. */
  endingIn(bytes: Buffer, from: number, to: number): Found[] {
    const found: Found[] = []
    this.#needles.each(bytes, Math.max(0, from - this.#longest + 1), to - 1, (at) => {
      const mark = this.#byStart.get(bytes.readUInt16BE(at))?.find((one) => isAt(bytes, at, one.bytes))
      const end = at + (mark?.bytes.length ?? 0)
      if (mark !== undefined && end > from && end <= to) found.push({ mark, at })
    })
    return found
  }
}

function isAt(bytes: Buffer, at: number, what: Buffer): boolean {
  for (let i = 0; i < what.length; i++) if (bytes[at + i] !== what[i]) return false
  return true
}
