import { AsyncLocalStorage } from 'node:async_hooks'
import { setTimeout as pause } from 'node:timers/promises'
import type { DatabasePool } from '#sql/db.ts'
import { type Status, statuses } from '#sql/email/messages.ts'
import { service } from '../http/container.ts'
import { stopping } from '../http/services.ts'

/** Waits for what becomes of messages. */
export interface OutcomeWatch {
  /** The status of a message once it is no longer queued, or as it is when the time has passed. */
  wait(messageId: string, ms: number): Promise<Status>
}

/** How often messages that are waited for are looked at: one statement for all of a process. */
const pollMs = 40

interface Waiting {
  until: number
  tell: (status: Status) => void
}

/** Waits for what becomes of messages. */
export const outcomeWatch = service<OutcomeWatch>({
  name: 'email.outcome watch',
  open: ({ db, services }) => createOutcomeWatch(db, services(stopping)),
})

function createOutcomeWatch(db: DatabasePool, stopping: AbortSignal): OutcomeWatch {
  const waiting = new Map<string, Waiting>()
  let looking = false
  // It looks for many requests, so outside the log context of the one that set it off.
  const outside = AsyncLocalStorage.snapshot()

  async function look(): Promise<void> {
    looking = true
    while (waiting.size > 0) {
      await pause(pollMs)
      // While the database is away nothing is known, and those who have waited long enough go.
      const found = await statuses(db, [...waiting.keys()]).catch(() => new Map<string, Status>())
      for (const [id, one] of waiting) {
        const status = found.get(id) ?? 'queued'
        if (status === 'queued' && performance.now() < one.until && !stopping.aborted) continue
        waiting.delete(id)
        one.tell(status)
      }
    }
    looking = false
  }

  return {
    wait(messageId, ms) {
      const { promise, resolve } = Promise.withResolvers<Status>()
      waiting.set(messageId, { until: performance.now() + ms, tell: resolve })
      if (!looking) outside(() => void look())
      return promise
    },
  }
}

/** The seconds that a client wants to wait (RFC 7240 §4.3), at most `max`; undefined when it does not say. */
export function waitOf(prefer: string | undefined, max: number): number | undefined {
  const [, seconds] = /(?:^|[,;\s])wait\s*=\s*"?(\d{1,9})"?\s*(?:[,;]|$)/i.exec(prefer ?? '') ?? []
  return seconds === undefined ? undefined : Math.min(max, Number(seconds))
}
