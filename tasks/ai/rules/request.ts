import { z } from 'zod'

/** Milliseconds for one piece of language work, repair and retries included. */
export const timeoutMs = 90_000

/** Milliseconds for a completion that is passed on: long answers are streamed for minutes. */
export const completionTimeoutMs = 300_000

/** Documents as they travel in a job's payload. */
export const SourceDocuments = z.array(
  z.object({ id: z.string(), title: z.string().optional(), url: z.string().optional(), text: z.string() }),
)
