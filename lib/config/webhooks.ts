import { concurrency, days, flag } from './values.ts'

/** What the webhooks pool reads. */
export const webhooks = {
  WEBHOOK_CONCURRENCY: concurrency
    .default(64)
    .describe('webhooks that one worker delivers to at once; one organisation has a quarter of them at most'),
  WEBHOOK_HTTP: flag.default(false).describe('take endpoints without TLS, too: http://…'),
  WEBHOOK_LOG_DAYS: days.default(30).describe('days that events and their deliveries to webhooks are kept'),
}
