import type { z } from 'zod'
import { table as chunks } from './chunks.ts'

const Place = chunks.Row.pick({ source_id: true, place: true })

export type Place = z.infer<typeof Place>

/** The usual constant of reciprocal rank fusion. The higher it is, the less the rank matters. */
const damping = 60

/** Combines rankings of chunks by the ranks in them (reciprocal rank fusion). */
export function fuseRankings(lists: readonly (readonly Place[])[]): Place[] {
  const worth = new Map<string, { place: Place; score: number }>()
  for (const list of lists) {
    for (const [i, place] of list.entries()) {
      const key = `${place.source_id} ${place.place}`
      const known = worth.get(key) ?? { place, score: 0 }
      worth.set(key, { place, score: known.score + 1 / (damping + i + 1) })
    }
  }
  return [...worth.values()].sort((one, other) => other.score - one.score).map(({ place }) => place)
}
