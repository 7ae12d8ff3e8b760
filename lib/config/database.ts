import { z } from 'zod'
import { postgres, text } from './values.ts'

/** Where Postgres is, and what each process takes of it. */
export const database = {
  DATABASE_URL: postgres.optional().describe('Postgres 15+; default: the embedded one'),
  DATABASE_POOLED_URL: postgres
    .optional()
    .describe(
      'the same database through a pooler in transaction mode, for the queries of the ingress; default DATABASE_URL',
    ),
  POSTGRES_BIN: text
    .optional()
    .describe(
      'folder of the Postgres programs that the embedded server is run with; default: those of its npm package',
    ),
  BACKUP_STANZA: z
    .string()
    .regex(/^[A-Za-z0-9_.-]{1,64}$/, 'must be the name of a stanza of pgBackRest: up to 64 letters, digits, _ . -')
    .optional()
    .describe(
      'name that pgBackRest has for the database; `millrace doctor` tells the age of backups and of the archived log',
    ),
  BACKUP_CONFIG: text
    .optional()
    .describe('folder of pgBackRest’s configuration: `pgbackrest.conf` and `conf.d`; default: its own'),
  BACKUP_MAX_AGE_HOURS: z.coerce
    .number()
    .min(1)
    .max(24 * 366)
    .default(26)
    .describe('hours after which it warns of no newer backup'),
  BACKUP_FULL_MAX_AGE_DAYS: z.coerce
    .number()
    .min(1)
    .max(366)
    .default(8)
    .describe('days after which it warns of no newer full one'),
  BACKUP_LOG_MAX_AGE_MINUTES: z.coerce
    .number()
    .min(1)
    .max(24 * 60)
    .default(10)
    .describe('minutes for which the log may wait to be archived'),
  DATABASE_POOL: z.coerce.number().int().min(1).max(200).default(10).describe('connections per ingress process'),
  DATABASE_SEARCH_POOL: z.coerce
    .number()
    .int()
    .min(1)
    .max(50)
    .default(4)
    .describe('connections per ingress process for searches, beside those of DATABASE_POOL'),
  DATABASE_REPLICA_URL: postgres
    .optional()
    .describe(
      'a standby of it for searches, lists and statistics, which is never behind what its caller was answered; default: none',
    ),
  DATABASE_REPLICA_POOL: z.coerce
    .number()
    .int()
    .min(1)
    .max(200)
    .default(10)
    .describe('connections per ingress process to the standby'),
  DATABASE_REPLICA_LAG_SECONDS: z.coerce
    .number()
    .min(0.01)
    .max(10)
    .default(0.25)
    .describe('seconds that a read waits for the standby to come up with the primary, which then does the read itself'),
}
