import { describe } from '#lib/errors.ts'
import { log } from '#lib/log.ts'
import type { DatabasePool } from '#sql/db.ts'
import type { GivenEngagement } from '#sql/email/engagements.ts'
import { recordEngagements } from '#tasks/email/rules/tracking/record-engagements.ts'
import { service } from '../../http/container.ts'

export type Request = Pick<GivenEngagement, 'message_id' | 'kind' | 'url' | 'machine' | 'reason' | 'user_agent'>

export interface EngagementRecorder {
  /** Counts a request. It is stored within a second. */
  add(request: Request): void
  /** Stores all requests that were counted so far. */
  flush(): Promise<void>
  close(): Promise<void>
}

/** Number of different requests in memory. Further ones are answered, but not counted. */
const most = 20_000
const atOnce = 1_000
const everyMs = 1_000

export const engagementRecorder = service<EngagementRecorder>({
  name: 'email.engagement-recorder',
  open: ({ db }) => createRecorder(db),
  close: (recorder) => recorder.close(),
})

/**
 * Collects opens and clicks in memory and stores them in batches. So a burst of requests costs few statements, and
 * repeated requests cost one row. A crash loses up to a second of them.
 */
export function createRecorder(db: DatabasePool): EngagementRecorder {
  const waiting = new Map<string, GivenEngagement>()
  let timer: NodeJS.Timeout | undefined
  let writing: Promise<void> = Promise.resolve()

  function schedule(): void {
    timer ??= setTimeout(() => void flush(), everyMs).unref()
  }

  async function write(): Promise<void> {
    while (waiting.size > 0) {
      const keys = [...waiting.keys()].slice(0, atOnce)
      const batch = keys.map((key) => waiting.get(key) as GivenEngagement)
      for (const key of keys) waiting.delete(key)
      try {
        await db.transaction((tx) => recordEngagements(tx, batch))
      } catch (error) {
        log.warn({ err: describe(error), count: batch.length }, 'opens and clicks could not be stored')
      }
    }
  }

  async function flush(): Promise<void> {
    clearTimeout(timer)
    timer = undefined
    writing = writing.then(write)
    await writing
  }

  return {
    add(request) {
      const key = [request.message_id, request.kind, request.machine, request.url].join(' ')
      const at = new Date().toISOString()
      const known = waiting.get(key)
      if (known) Object.assign(known, { count: known.count + 1, last_at: at })
      else if (waiting.size < most) waiting.set(key, { ...request, count: 1, first_at: at, last_at: at })
      schedule()
    },
    flush,
    close: flush,
  }
}
