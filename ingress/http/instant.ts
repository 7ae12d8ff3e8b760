import { z } from 'zod'

/** Schema of a time in a reply. A `Date` from the database becomes ISO 8601 in UTC. */
export const Instant = z
  .union([z.date(), z.string()])
  .transform((value) => (typeof value === 'string' ? value : value.toISOString()))
  .pipe(z.iso.datetime())
