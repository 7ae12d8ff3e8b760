import { z } from 'zod'

/** A time in a reply. The `Date` of a row becomes ISO 8601 in UTC. */
export const Instant = z
  .union([z.date(), z.string()])
  .transform((value) => (typeof value === 'string' ? value : value.toISOString()))
  .pipe(z.iso.datetime())
