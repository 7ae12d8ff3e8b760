import { isTooBroad } from '#sql/bounded.ts'
import { isDisconnected } from '#sql/db.ts'

/**
 * The reason why the primary must run a read. `away`: the replica is unavailable. `behind`: it is too far behind.
 * `stranger`: it is not a standby of this primary. `conflict`: it cancelled the statement because of replay. `slow`: it
 * was too slow. `busy`: it has no free connection. `failed`: another error. `unknown`: the position of the primary is
 * unknown.
 */
export type Reason = 'away' | 'behind' | 'stranger' | 'conflict' | 'slow' | 'busy' | 'failed' | 'unknown'

/** Thrown if the replica cannot run a read. */
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
    // The statement is a write. The read is declared incorrectly, and the connection has no fault.
    if (code === '25006') return 'failed'
    if (code === '40001' || code === '40P01' || e.message.includes('conflict with recovery')) return 'conflict'
  }
  if (isTooBroad(error)) return 'slow'
  return isDisconnected(error) ? 'away' : 'failed'
}
