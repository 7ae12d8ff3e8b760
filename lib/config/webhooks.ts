import { concurrency, days, flag } from './values.ts'

export const webhooks = {
  WEBHOOK_CONCURRENCY: concurrency
    .default(64)
    .describe(
      'Maximum number of concurrent webhook deliveries per worker. One organisation can use up to a quarter of them.',
    ),
  WEBHOOK_HTTP: flag.default(false).describe('Also accept webhook endpoints without TLS (`http://…`)'),
  WEBHOOK_LOG_DAYS: days.default(30).describe('Days that events and their webhook deliveries are kept'),
}
