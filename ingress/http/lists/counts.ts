import { z } from 'zod'

/** Counts by each of some names in a reply: `CountsOf(Status)` is `{ queued: 3, sent: 0, … }` and leaves none of them out. */
export const CountsOf = <N extends string>(names: { options: readonly N[] }): z.ZodObject<Record<N, z.ZodInt>> =>
  z.object(Object.fromEntries(names.options.map((name) => [name, z.int()])) as Record<N, z.ZodInt>)
