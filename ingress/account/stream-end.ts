import type { Services } from '../http/container.ts'
import type { EventStream } from '../http/event-stream.ts'
import { keyChanges } from '../http/key-changes.ts'
import { liveKeys } from '../http/live-keys.ts'

/** Duration in milliseconds of a stream. The client then reconnects, so that all limits of its key are checked again. */
const longestMs = 3_600_000

/** Returns the time at which a stream ends: after an hour, or when its key expires. */
export const streamEnd = ({ expires_at }: { expires_at: number | null }): Date =>
  new Date(Math.min(Date.now() + longestMs, expires_at ?? Number.POSITIVE_INFINITY))

/** Ends a stream when its key is changed or revoked, or its organisation is closed. */
export function endWithKey(services: Services, keyId: string, stream: EventStream): void {
  stream.onEnd(services(liveKeys).follow(keyId, stream.end))
  stream.onEnd(
    services(keyChanges).follow((changed) => {
      if (changed === keyId) stream.end()
    }),
  )
}
