import { z } from 'zod'
import { postgres, text } from './values.ts'

export const database = {
  DATABASE_URL: postgres.optional().describe('Postgres 15 or later. Default: the embedded server.'),
  DATABASE_POOLED_URL: postgres
    .optional()
    .describe(
      'The same database through a pooler in transaction mode, for the queries of the ingress. Default: DATABASE_URL.',
    ),
  POSTGRES_BIN: text
    .optional()
    .describe('Folder of the Postgres programs for the embedded server. Default: the programs of its npm package.'),
  BACKUP_STANZA: z
    .string()
    .regex(/^[A-Za-z0-9_.-]{1,64}$/, 'must be the name of a pgBackRest stanza: up to 64 letters, digits, _ . -')
    .optional()
    .describe(
      'Stanza of the database in pgBackRest. With it, `millrace doctor` reports the age of backups and of the archived log.',
    ),
  BACKUP_CONFIG: text
    .optional()
    .describe(
      'Folder of the pgBackRest configuration: `pgbackrest.conf` and `conf.d`. Default: the folder that pgBackRest uses.',
    ),
  BACKUP_MAX_AGE_HOURS: z.coerce
    .number()
    .min(1)
    .max(24 * 366)
    .default(26)
    .describe('`millrace doctor` warns if the newest backup is older than this number of hours'),
  BACKUP_FULL_MAX_AGE_DAYS: z.coerce
    .number()
    .min(1)
    .max(366)
    .default(8)
    .describe('`millrace doctor` warns if the newest full backup is older than this number of days'),
  BACKUP_LOG_MAX_AGE_MINUTES: z.coerce
    .number()
    .min(1)
    .max(24 * 60)
    .default(10)
    .describe('`millrace doctor` warns if the log waits longer than this number of minutes to be archived'),
  DATABASE_POOL: z.coerce.number().int().min(1).max(200).default(10).describe('Connections per ingress process'),
  DATABASE_SEARCH_POOL: z.coerce
    .number()
    .int()
    .min(1)
    .max(50)
    .default(4)
    .describe('Connections per ingress process for searches, in addition to DATABASE_POOL'),
  DATABASE_REPLICA_URL: postgres
    .optional()
    .describe(
      'Standby for searches, lists and statistics. Its results always include what the caller has already received. Default: none.',
    ),
  DATABASE_REPLICA_POOL: z.coerce
    .number()
    .int()
    .min(1)
    .max(200)
    .default(10)
    .describe('Connections per ingress process to the standby'),
  DATABASE_REPLICA_LAG_SECONDS: z.coerce
    .number()
    .min(0.01)
    .max(10)
    .default(0.25)
    .describe(
      'Seconds that a read waits for the standby to reach the state of the primary. Then the primary does the read.',
    ),
}
