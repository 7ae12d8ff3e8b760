import { z } from 'zod'

/** Timeout of a request in milliseconds, including repairs and retries. */
export const timeoutMs = 90_000

/** Timeout of a completion that is passed on, in milliseconds. Long answers stream for minutes. */
export const completionTimeoutMs = 300_000

export const SourceDocuments = z.array(
  z.object({ id: z.string(), title: z.string().optional(), url: z.string().optional(), text: z.string() }),
)
