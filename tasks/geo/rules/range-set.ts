import { setImmediate as breathe } from 'node:timers/promises'
import ipaddr from 'ipaddr.js'

interface SixRange {
  first: string
  last: string
}

/** A set of address ranges that is searched in logarithmic time. */
export class RangeSet {
  readonly #firsts: Uint32Array
  readonly #lasts: Uint32Array
  readonly #six: readonly SixRange[]

  private constructor(firsts: Uint32Array, lasts: Uint32Array, six: readonly SixRange[]) {
    this.#firsts = firsts
    this.#lasts = lasts
    this.#six = six
  }

  /**
   * `four`: sorted ranges of IPv4 addresses, each `first << 32 | last`. `six`: sorted ranges of IPv6 addresses, each 64
   * hexadecimal digits, first and last address. Ranges may overlap. After each portion, other work continues.
   */
  static async create(four: readonly bigint[], six: readonly string[], portion: number): Promise<RangeSet> {
    const [firsts, lasts] = [new Uint32Array(four.length), new Uint32Array(four.length)]
    let count = 0
    for (const [i, range] of four.entries()) {
      if (i % portion === 0) await breathe()
      const [first, last] = [Number(range >> 32n), Number(range & 0xffffffffn)]
      const before = lasts[count - 1]
      if (before !== undefined && first <= before) lasts[count - 1] = Math.max(before, last)
      else {
        firsts[count] = first
        lasts[count++] = last
      }
    }
    const merged: SixRange[] = []
    for (const [i, range] of six.entries()) {
      if (i % portion === 0) await breathe()
      const [first, last] = [range.slice(0, 32), range.slice(32)]
      const before = merged.at(-1)
      if (!before || first > before.last) merged.push({ first, last })
      else if (last > before.last) before.last = last
    }
    return new RangeSet(firsts.slice(0, count), lasts.slice(0, count), merged)
  }

  /** True if a range contains this IPv4 or IPv6 address. */
  has(ip: string): boolean {
    const bytes = Buffer.from(ipaddr.parse(ip).toByteArray())
    if (bytes.length === 4) {
      const address = bytes.readUInt32BE()
      const at = findLast(this.#firsts.length, (i) => (this.#firsts[i] ?? 0) <= address)
      return at >= 0 && address <= (this.#lasts[at] ?? 0)
    }
    const address = bytes.toString('hex')
    const at = findLast(this.#six.length, (i) => (this.#six[i]?.first ?? '') <= address)
    return at >= 0 && address <= (this.#six[at]?.last ?? '')
  }
}

/** Returns the last index for which the condition is true. The condition is true up to that index. -1 if there is none. */
function findLast(length: number, isTrue: (i: number) => boolean): number {
  let [low, high] = [0, length]
  while (low < high) {
    const middle = (low + high) >>> 1
    if (isTrue(middle)) low = middle + 1
    else high = middle
  }
  return low - 1
}
