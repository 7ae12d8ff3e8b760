import { z } from 'zod'
import { postgres, text } from './values.ts'

export const database = {
  DATABASE_URL: postgres.optional().describe('Postgres 15 or later. Default: the embedded server.'),
  DATABASE_POOLED_URL: postgres
    .optional()
    .describe('The same database through a pooler in transaction mode, for ingress queries. Default: DATABASE_URL.'),
  POSTGRES_BIN: text
    .optional()
    .describe(
      'Folder of the Postgres executables for the embedded server. Default: the executables of its npm package.',
    ),
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
    .describe(
      '`millrace doctor` warns if the log has been waiting to be archived for longer than this number of minutes',
    ),
  DATABASE_POOL: z.coerce
    .number()
    .int()
    .min(1)
    .max(200)
    .default(10)
    .describe('Maximum number of connections per ingress process'),
  DATABASE_SEARCH_POOL: z.coerce
    .number()
    .int()
    .min(1)
    .max(50)
    .default(4)
    .describe('Maximum number of connections per ingress process for searches, in addition to DATABASE_POOL'),
  DATABASE_REPLICA_URL: postgres
    .optional()
    .describe(
      'Standby database for searches, lists and statistics. Its results always include what the caller has already received. Default: none.',
    ),
  DATABASE_REPLICA_POOL: z.coerce
    .number()
    .int()
    .min(1)
    .max(200)
    .default(10)
    .describe('Maximum number of connections per ingress process to the standby'),
  DATABASE_REPLICA_LAG_SECONDS: z.coerce
    .number()
    .min(0.01)
    .max(10)
    .default(0.25)
    .describe(
      'Timeout in seconds for the standby to reach the state of the primary. After that, the primary serves the read.',
    ),
}
