import { z } from 'zod'
import { Id } from '#lib/ids.ts'
import { defineTable } from '../table.ts'

/** Pieces of sources, about 1,000 characters each. Concatenated, they are their source. */
export const table = defineTable(
  'knowledge',
  'chunks',
  z.object({
    source_id: Id,
    place: z.number(),
    start: z.number(),
    page: z.number().nullable(),
    headings: z.array(z.string()),
    text: z.string(),
  }),
)
