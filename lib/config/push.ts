import { z } from 'zod'
import { concurrency, days, http, text } from './values.ts'

/** What the push area and pool read. */
export const push = {
  PUSH_CONCURRENCY: concurrency
    .default(32)
    .describe('batches of pushes at once in one worker; one organisation has a quarter of them at most'),
  PUSH_SUBJECT: z
    .string()
    .regex(/^(mailto:[^@]+@.+|https:\/\/.+)$/, 'must be mailto:name@example.com or https://…')
    .default('mailto:push@localhost.example')
    .describe('whom push services may write to about web pushes (RFC 8292)'),
  APNS_SERVER: http.optional().describe('server in place of Apple’s: https://host:port'),
  FCM_SERVER: http.optional().describe('server in place of Google’s: https://host:port'),
  PUSH_CA_FILE: text.optional().describe('PEM file of a further root that push services are trusted by'),
  PUSH_HISTORY_DAYS: days.default(30).describe('days that messages and their deliveries are kept'),
}
