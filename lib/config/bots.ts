import { z } from 'zod'
import { days } from './values.ts'

export const bots = {
  BOTS_RETENTION_DAYS: days
    .default(365)
    .describe('Days that inactive conversations are kept. A bot can have a shorter period.'),
  BOTS_DOCUMENT_CHARACTERS: z.coerce
    .number()
    .int()
    .min(40_000)
    .default(60_000)
    .describe('Maximum number of characters from a bot’s documents that are used for an answer, best matches first'),
  BOTS_HISTORY_CHARACTERS: z.coerce
    .number()
    .int()
    .min(0)
    .default(16_000)
    .describe('Maximum number of characters from the conversation that are used for an answer, newest first'),
}
