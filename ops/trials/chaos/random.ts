export interface Random {
  /** Returns a number from 0 up to, but not including, 1. */
  next(): number
  /** Returns a whole number from 0 up to, but not including, `below`. */
  below(below: number): number
  pick<T>(list: readonly T[]): T
  shuffled<T>(list: readonly T[]): T[]
}

/** Creates a generator from a seed (mulberry32, whose 32 bits of state are enough to select faults). */
export function createRandom(seed: number): Random {
  let state = seed >>> 0
  const next = () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
  const below = (most: number) => Math.floor(next() * most)
  return {
    next,
    below,
    pick: (list) => list[below(list.length)] as (typeof list)[number],
    shuffled(list) {
      const left = [...list]
      return list.map(() => left.splice(below(left.length), 1)[0] as (typeof list)[number])
    },
  }
}
