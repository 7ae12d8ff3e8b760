import { z } from 'zod'

/** An instant in a reply: a row's `Date` becomes ISO 8601 in UTC. */
export const Instant = z
  .union([z.date(), z.string()])
  .transform((value) => (typeof value === 'string' ? value : value.toISOString()))
  .pipe(z.iso.datetime())
