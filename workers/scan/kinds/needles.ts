import { readFileSync } from 'node:fs'

/** What `needles.wat` exports. */
interface Program {
  memory: WebAssembly.Memory
  find(at: number, end: number, list: number): number
}

const program = new WebAssembly.Module(readFileSync(new URL('needles.wasm', import.meta.url)))

/** Where in the program's memory bytes are put, how many at a time, and where it lists places. */
const input = 1024
const pieceSize = 64 * 1024
const list = 128 * 1024
/** Bytes behind a piece that are seen with it: the first of them decide about its last places. */
const seenBehind = 2

/** A byte of a needle that may be any, as the needle has only two. */
const any = null
/** The first three bytes of a needle. */
type Start = (number | typeof any)[]

/**
 * Finds where one of some needles of two bytes and more may begin, in one pass over the bytes: a search for each of twenty needles
 * takes five to ten times as long.
 */
export class Needles {
  readonly #program = new WebAssembly.Instance(program).exports as unknown as Program
  readonly #memory = new Uint8Array(this.#program.memory.buffer)
  readonly #places = new Uint32Array(this.#program.memory.buffer, list)

  constructor(needles: readonly Buffer[]) {
    const starts = needles.map(([first = any, second = any, third = any]): Start => [first, second, third])
    for (const [group, members] of groupsOf(starts).entries())
      for (const start of members) for (const [nth, byte] of start.entries()) this.#enter(byte, nth, 1 << group)
  }

  /** Calls `see` with each place from `from` to before `to` whose bytes begin like a needle, and with some that do not. */
  each(bytes: Buffer, from: number, to: number, see: (at: number) => void): void {
    for (let at = from; at < to; at += pieceSize) {
      const size = Math.min(pieceSize, to - at)
      this.#memory.set(bytes.subarray(at, at + size + seenBehind), input)
      const count = this.#program.find(input, input + size, list)
      for (let nth = 0; nth < count; nth++) {
        const place = (this.#places[nth] ?? 0) - input
        if (place < size) see(at + place)
      }
    }
  }

  /** Enters a byte of a group into the two tables of its place: by its lower half, and by its upper one. */
  #enter(byte: number | typeof any, nth: number, group: number): void {
    const [low, high] = [32 * nth, 32 * nth + 16]
    for (let half = 0; half < 16; half++) {
      if (byte === any || half === (byte & 15)) this.#memory[low + half] = (this.#memory[low + half] ?? 0) | group
      if (byte === any || half === byte >> 4) this.#memory[high + half] = (this.#memory[high + half] ?? 0) | group
    }
  }
}

/** Puts starts into eight groups, each where it adds the fewest other starts that look like one of the group. */
function groupsOf(starts: Start[]): Start[][] {
  const groups: Start[][] = Array.from({ length: 8 }, () => [])
  for (const start of starts) {
    const added = groups.map((group) => alike([...group, start]) - alike(group))
    groups[added.indexOf(Math.min(...added))]?.push(start)
  }
  return groups
}

/** How many starts look like one of a group, whose halves of bytes are told apart by their place alone. */
function alike(group: Start[]): number {
  if (group.length === 0) return 0
  const ways = [0, 1, 2].map((nth) => {
    const bytes = group.map((start) => start[nth] ?? any)
    if (bytes.includes(any)) return 256
    return new Set(bytes.map((byte) => (byte ?? 0) & 15)).size * new Set(bytes.map((byte) => (byte ?? 0) >> 4)).size
  })
  return ways.reduce((product, count) => product * count)
}
