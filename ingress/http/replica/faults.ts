import { isTooBroad } from '#sql/bounded.ts'
import { isDisconnected } from '#sql/db.ts'

/**
 * Why a read is the primary's: the replica is not there, has not replayed enough in time, is no standby of this primary, has broken
 * the statement off for what it replays, takes too long, has no connection free, or fails in a way that is nobody's to foresee;
 * or the primary has not said where it stands.
 */
export type Reason = 'away' | 'behind' | 'stranger' | 'conflict' | 'slow' | 'busy' | 'failed' | 'unknown'

/** Thrown where the replica cannot do a read. */
export class ReplicaFault extends Error {
  override name = 'ReplicaFault'
  readonly reason: Reason

  constructor(reason: Reason, options?: ErrorOptions) {
    super(`The replica cannot answer: ${reason}.`, options)
    this.reason = reason
  }
}

/** Reasons by which a connection says of its server that the reads that follow will fare no better. */
export const lasting: ReadonlySet<Reason> = new Set(['away', 'behind', 'stranger', 'slow'])

/** What an error that a replica's statement threw says of the replica. */
export function reasonOf(error: unknown): Reason {
  for (let e = error; e instanceof Error; e = e.cause) {
    if (e instanceof ReplicaFault) return e.reason
    const code = 'code' in e ? String(e.code) : ''
    // A write: what declares such a read is at fault, not the connection.
    if (code === '25006') return 'failed'
    if (code === '40001' || code === '40P01' || e.message.includes('conflict with recovery')) return 'conflict'
  }
  if (isTooBroad(error)) return 'slow'
  return isDisconnected(error) ? 'away' : 'failed'
}
