import { isTooBroad } from '#sql/bounded.ts'
import { isDisconnected } from '#sql/db.ts'

/**
 * The reason why the primary must do a read. The replica is unavailable, too far behind, not a standby of this primary,
 * too slow or without a free connection. Or it cancelled the statement because of replay, or had another error.
 * `unknown`: the position of the primary is unknown.
 */
export type Reason = 'away' | 'behind' | 'stranger' | 'conflict' | 'slow' | 'busy' | 'failed' | 'unknown'

/** Thrown if the replica cannot do a read. */
export class ReplicaFault extends Error {
  override name = 'ReplicaFault'
  readonly reason: Reason

  constructor(reason: Reason, options?: ErrorOptions) {
    super(`The replica cannot serve this read: ${reason}.`, options)
    this.reason = reason
  }
}

export const lastingReasons: ReadonlySet<Reason> = new Set(['away', 'behind', 'stranger', 'slow'])

export function getFaultReason(error: unknown): Reason {
  for (let e = error; e instanceof Error; e = e.cause) {
    if (e instanceof ReplicaFault) return e.reason
    const code = 'code' in e ? String(e.code) : ''
    // A write: the declaration of the read is wrong, not the connection.
    if (code === '25006') return 'failed'
    if (code === '40001' || code === '40P01' || e.message.includes('conflict with recovery')) return 'conflict'
  }
  if (isTooBroad(error)) return 'slow'
  return isDisconnected(error) ? 'away' : 'failed'
}
