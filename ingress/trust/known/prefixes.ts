import { describe } from '#lib/errors.ts'
import { log } from '#lib/log.ts'
import type { DatabasePool } from '#sql/db.ts'
import type { FeedFacts } from '#sql/trust/entries.ts'
import { type FeedsRead, readFeeds } from '#sql/trust/prefixes.ts'

/** Prefixes that a process keeps, 40 MB; of feeds that have more, the database alone is asked. */
const mostPrefixes = 10_000_000

/** Reading all prefixes anew takes no more of a process's time than one part in so many. */
const shareOfTime = 10

/** The feeds of threats at one moment, as this process has read them. */
interface Known extends Pick<FeedsRead, 'state' | 'contents' | 'feeds'> {
  prefixes: PrefixSet
}

/** The hash prefixes of all that feeds list, by which most checks need not ask what is listed. */
export interface KnownPrefixes {
  /** All feeds, when none of them lists any of these in this state; undefined where only the database can say. */
  unlisted(state: string, prefixes: readonly number[]): readonly FeedFacts[] | undefined
  close(): Promise<void>
}

/** Knows nothing before the first check, and reads anew when a check is asked for in another state of the feeds than it knows. */
export function createKnownPrefixes(db: DatabasePool): KnownPrefixes {
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

/** Numbers in rising pieces, four bytes each. */
class PrefixSet {
  /** Has every number. */
  static readonly ofAll = Object.assign(new PrefixSet(), { hasAny: () => true })

  readonly #pieces: Int32Array[] = []
  size = 0

  /** Adds numbers that rise, all above those that are there. */
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

/** The first place of which something does not hold that holds of all before it. */
function after(length: number, holds: (at: number) => boolean): number {
  let [low, high] = [0, length]
  while (low < high) {
    const middle = (low + high) >>> 1
    if (holds(middle)) low = middle + 1
    else high = middle
  }
  return low
}
