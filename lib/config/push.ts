import { z } from 'zod'
import { concurrency, days, http, text } from './values.ts'

export const push = {
  PUSH_CONCURRENCY: concurrency
    .default(32)
    .describe(
      'Maximum number of push batches that one worker sends at the same time. One organisation can use up to a quarter of them.',
    ),
  PUSH_SUBJECT: z
    .string()
    .regex(/^(mailto:[^@]+@.+|https:\/\/.+)$/, 'must be mailto:name@example.com or https://…')
    .default('mailto:push@localhost.example')
    .describe('Contact for push services about web pushes (RFC 8292)'),
  APNS_SERVER: http.optional().describe('Server that replaces Apple’s server: https://host:port'),
  FCM_SERVER: http.optional().describe('Server that replaces Google’s server: https://host:port'),
  PUSH_CA_FILE: text.optional().describe('PEM file of an additional root certificate for connections to push services'),
  PUSH_HISTORY_DAYS: days.default(30).describe('Days that messages and their deliveries are kept'),
}
