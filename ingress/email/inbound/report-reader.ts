import { ThreadLimitError, threadPool } from '#lib/threads.ts'
import { type Report, readReport } from '#tasks/email/rules/reports/report.ts'
import { RefusalError } from './refusal.ts'
import type { work } from './report-thread.ts'

/**
 * Maximum size in bytes of a message that is parsed without a thread. Parsing this takes only milliseconds, whatever
 * the content.
 */
const atOnce = 16_384

/** Reads reports. Small ones are read directly, all others in a thread, so that no email blocks a request. */
export interface ReportReader {
  /** Returns the report. Returns null if the message is not a report, cannot be read, or is too expensive to read. */
  read(message: Buffer): Promise<Report>
  close(): Promise<void>
}

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
        if (error instanceof ThreadLimitError && error.limit === 'waiting')
          throw new RefusalError(451, 'Too many reports are being read, try again later')
        return null
      }
    },
    close: () => threads.close(),
  }
}
