import { describe } from '#lib/errors.ts'
import { log } from '#lib/log.ts'
import type { DatabasePool } from '#sql/db.ts'
import type { FeedFacts } from '#sql/trust/entries.ts'
import { type FeedsRead, readFeeds } from '#sql/trust/prefixes.ts'

/** Maximum number of prefixes in memory (40 MB). If the feeds have more, the database is queried. */
const mostPrefixes = 10_000_000

/** Reading all prefixes takes up to a tenth of a process’s time. This number is the divisor. */
const shareOfTime = 10

interface Known extends Pick<FeedsRead, 'state' | 'contents' | 'feeds'> {
  prefixes: PrefixSet
}

export interface PrefixCache {
  /**
   * Returns all feeds if none of them lists one of these prefixes in this state. Undefined if the database must be
   * queried.
   */
  unlisted(state: string, prefixes: readonly number[]): readonly FeedFacts[] | undefined
  close(): Promise<void>
}

/**
 * Creates a cache of prefixes. It is empty until the first check. It reads the prefixes again when a check needs a
 * different state of the feeds.
 */
export function createPrefixCache(db: DatabasePool): PrefixCache {
  let known: Known | undefined
  let reading: Promise<void> | undefined
  let restingUntil = 0
  let closed = false

  async function read(): Promise<void> {
    const begun = performance.now()
    try {
      known = await readFeeds(db, async ({ state, contents, feeds, prefixes }) => ({
        ...{ state, contents, feeds },
        prefixes: known?.contents === contents ? known.prefixes : await collect(prefixes()),
      }))
    } catch (error) {
      if (!closed)
        log.warn({ err: describe(error) }, 'could not read the prefixes of feeds; querying the database instead')
    }
    const ended = performance.now()
    restingUntil = ended + (ended - begun) * (shareOfTime - 1)
  }

  async function collect(pieces: AsyncIterable<Int32Array>): Promise<PrefixSet> {
    const set = new PrefixSet()
    for await (const piece of pieces) {
      if (closed) throw new Error('This process is stopping.')
      if (set.size + piece.length > mostPrefixes) {
        log.warn({ most: mostPrefixes }, 'feeds have more entries than fit in memory; querying the database instead')
        return PrefixSet.ofAll
      }
      set.add(piece)
    }
    return set
  }

  function readAnew(): void {
    if (closed || reading || performance.now() < restingUntil) return
    reading = read().finally(() => {
      reading = undefined
    })
  }

  return {
    unlisted(state, prefixes) {
      if (known?.state !== state) readAnew()
      else if (!known.prefixes.hasAny(prefixes)) return known.feeds
      return
    },
    async close() {
      closed = true
      await reading
    },
  }
}

/** Set of numbers in ascending pieces. Each number takes four bytes. */
class PrefixSet {
  /** Set that contains every number. */
  static readonly ofAll = Object.assign(new PrefixSet(), { hasAny: () => true })

  readonly #pieces: Int32Array[] = []
  size = 0

  /** Adds ascending numbers, which must all be greater than the existing ones. */
  add(piece: Int32Array): void {
    this.#pieces.push(piece)
    this.size += piece.length
  }

  hasAny(numbers: readonly number[]): boolean {
    return numbers.some((number) => this.#has(number))
  }

  #has(number: number): boolean {
    const piece = this.#pieces[after(this.#pieces.length, (at) => (this.#pieces[at]?.[0] as number) <= number) - 1]
    return piece !== undefined && piece[after(piece.length, (at) => (piece[at] as number) <= number) - 1] === number
  }
}

/**
 * Returns the first index for which `holds` is false. `holds` must be true for all lower indexes and false for all
 * others.
 */
function after(length: number, holds: (at: number) => boolean): number {
  let [low, high] = [0, length]
  while (low < high) {
    const middle = (low + high) >>> 1
    if (holds(middle)) low = middle + 1
    else high = middle
  }
  return low
}
