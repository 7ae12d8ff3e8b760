import { z } from 'zod'
import { concurrency, days } from './values.ts'

export const logStreams = {
  LOG_STREAM_CONCURRENCY: concurrency
    .default(16)
    .describe(
      'Maximum number of log streams that one worker sends at the same time. One organisation can use a quarter.',
    ),
  LOG_STREAM_DAYS: days
    .default(7)
    .describe('Days that events and requests wait for a log stream whose server is unavailable'),
  LOG_STREAM_RECORDS: z.coerce
    .number()
    .int()
    .min(1_000)
    .default(1_000_000)
    .describe('Maximum number of events, and of requests, that wait for the log streams of one organisation'),
}
