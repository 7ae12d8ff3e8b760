import { unavailable } from '#lib/errors.ts'
import { ThreadLimitError, threadPool } from '#lib/threads.ts'
import type { MjmlResult, work } from './mjml-thread.ts'

/** Limits of the threads. The modules of MJML alone need about 100 MB. */
const limits = { threads: 1, seconds: 10, megabytes: 256, waiting: 100, ofOne: { threads: 1, waiting: 20 } }

const threads = threadPool<typeof work>(new URL('./mjml-thread.ts', import.meta.url), limits)

/** Converts MJML to HTML in a thread. Throws 503 if too many conversions wait. */
export async function convertMjml(orgId: string, source: string): Promise<MjmlResult> {
  try {
    return await threads.run(source, undefined, orgId)
  } catch (error) {
    if (!(error instanceof ThreadLimitError)) throw error
    if (error.limit === 'time') return { html: '', faults: [`takes more than ${limits.seconds} seconds to convert`] }
    if (error.limit === 'memory') return { html: '', faults: ['needs too much memory to convert'] }
    throw unavailable('Too many templates are being converted. Send the request again.', 5)
  }
}
