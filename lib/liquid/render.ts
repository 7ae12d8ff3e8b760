import { ThreadLimitError, type ThreadLimits, threadPool } from '../threads.ts'
import type { CheckResult, CheckWork, RenderResult, RenderWork, work } from './thread.ts'

/**
 * Limits of the threads. An organisation uses one of the threads at a time, so its slow templates do not delay others.
 */
const limits: ThreadLimits = {
  threads: 2,
  seconds: 2,
  megabytes: 128,
  waiting: 1_000,
  ofOne: { threads: 1, waiting: 300 },
}

const threads = threadPool<typeof work>(new URL('./thread.ts', import.meta.url), limits)

/** Thrown if too many templates wait for a thread. A retry can succeed. */
export class TemplatesBusyError extends Error {
  override name = 'TemplatesBusyError'
}

/** Renders a template in a thread. A template that exceeds the limits of the thread has a fault. */
export async function renderLiquid(orgId: string, given: RenderWork): Promise<RenderResult> {
  try {
    return (await threads.run(given, undefined, orgId)) as RenderResult
  } catch (error) {
    const issue = `cannot be rendered: it ${reasonOf(error)}`
    return {
      parts: { subject: null, html: null, text: null },
      faults: [{ field: 'body.template_id', issue }],
    }
  }
}

/** Reads a template in a thread. Returns what is wrong with it, its variables, and the templates that it uses. */
export async function checkLiquid(orgId: string, given: CheckWork): Promise<CheckResult> {
  try {
    return (await threads.run(given, undefined, orgId)) as CheckResult
  } catch (error) {
    return { faults: [{ part: 'html', issue: `cannot be read: it ${reasonOf(error)}` }], variables: [], uses: [] }
  }
}

function reasonOf(error: unknown): string {
  if (!(error instanceof ThreadLimitError)) throw error
  if (error.limit === 'time') return `takes more than ${limits.seconds} seconds`
  if (error.limit === 'memory') return `needs more than ${limits.megabytes} MB of memory`
  throw new TemplatesBusyError('Too many templates wait to be rendered. Send the request again.')
}
