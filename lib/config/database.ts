import { z } from 'zod'
import { postgres, text } from './values.ts'

/** Where Postgres is, and what each process takes of it. */
export const database = {
  DATABASE_URL: postgres.optional().describe('Postgres 15+; default: the embedded one'),
  POSTGRES_BIN: text
    .optional()
    .describe(
      'folder of the Postgres programs that the embedded server is run with; default: those of its npm package',
    ),
  DATABASE_POOL: z.coerce.number().int().min(1).max(200).default(10).describe('connections per ingress process'),
}
