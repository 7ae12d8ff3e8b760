import { z } from 'zod'
import { concurrency, days, flag } from './values.ts'

export const webhooks = {
  WEBHOOK_CONCURRENCY: concurrency
    .default(64)
    .describe(
      'Maximum number of concurrent webhook deliveries per worker. One organisation can use up to a quarter of them.',
    ),
  WEBHOOK_HTTP: flag.default(false).describe('Also accept webhook endpoints without TLS (`http://…`)'),
  WEBHOOK_LOCAL_ORG: z
    .string()
    .max(100)
    .optional()
    .describe(
      'Name of the organisation whose webhooks can use `http://` and addresses of this machine. `npm start` sets it to its development organisation, unless `PUBLIC_URL` is set.',
    ),
  WEBHOOK_LOG_DAYS: days.default(30).describe('Days that events and their webhook deliveries are kept'),
}
