import { ThreadLimitError, threadPool } from '#lib/threads.ts'
import type { AggregateReport } from '#tasks/email/rules/aggregate/report.ts'
import type { work } from './aggregate-thread.ts'
import { RefusalError } from './refusal.ts'

/** Reads reports about domains in a thread, because anyone can send them and they are compressed. */
export interface AggregateReader {
  /** Throws `RefusalError` if the email contains no report. */
  read(message: Buffer, orgId: string): Promise<AggregateReport>
  close(): Promise<void>
}

export function createAggregateReader(): AggregateReader {
  const threads = threadPool<typeof work>(new URL('./aggregate-thread.ts', import.meta.url), {
    threads: 1,
    seconds: 10,
    megabytes: 384,
    waiting: 50,
    ofOne: { threads: 1, waiting: 10 },
  })
  return {
    async read(message, orgId) {
      const read = await threads.run(message, undefined, orgId).catch((error: unknown) => {
        if (error instanceof ThreadLimitError && (error.limit === 'waiting' || error.limit === 'share'))
          throw new RefusalError(451, 'Too many reports are being read, try again later')
        throw new RefusalError(554, 'The report cannot be read')
      })
      if ('fault' in read) throw new RefusalError(554, read.fault)
      return read
    },
    close: () => threads.close(),
  }
}
