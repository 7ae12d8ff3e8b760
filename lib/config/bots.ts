import { z } from 'zod'
import { days } from './values.ts'

/** What the bots area reads. */
export const bots = {
  BOTS_RETENTION_DAYS: days
    .default(365)
    .describe('days that conversations are kept which nobody goes on with; a bot may keep them for less'),
  BOTS_DOCUMENT_CHARACTERS: z.coerce
    .number()
    .int()
    .min(40_000)
    .default(60_000)
    .describe('characters of its documents that a bot is given for an answer, the best fitting first'),
  BOTS_HISTORY_CHARACTERS: z.coerce
    .number()
    .int()
    .min(0)
    .default(16_000)
    .describe('characters of its conversation that a bot is given for an answer, the newest first'),
}
