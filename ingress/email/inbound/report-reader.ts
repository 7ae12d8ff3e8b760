import { ThreadLimit, threadPool } from '#lib/threads.ts'
import { type Report, readReport } from '#tasks/email/rules/reports/report.ts'
import { Refusal } from './refusal.ts'
import type { work } from './report-thread.ts'

/** Bytes that are read within milliseconds whatever they say. */
const atOnce = 16_384

/** Reads reports: small ones at once, all others in a thread, so that no mail holds up a request. */
export interface ReportReader {
  /** Reads a message; null for what is no report, cannot be read, or is too costly to be. */
  read(message: Buffer): Promise<Report>
  close(): Promise<void>
}

/** Makes a reader; its thread starts with the first large mail. */
export function createReportReader(): ReportReader {
  const threads = threadPool<typeof work>(new URL('./report-thread.ts', import.meta.url), {
    threads: 1,
    seconds: 5,
    megabytes: 128,
    waiting: 100,
  })
  return {
    async read(message) {
      try {
        return message.length <= atOnce ? await readReport(message) : await threads.run(message)
      } catch (error) {
        if (error instanceof ThreadLimit && error.limit === 'waiting')
          throw new Refusal(451, 'Too many reports are being read, try again later')
        return null
      }
    },
    close: () => threads.close(),
  }
}
