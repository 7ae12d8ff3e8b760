import { v7 } from 'uuid'
import { z } from 'zod'

/** Random bytes for many IDs are created in one call, because a call for each ID costs more than the rest of the ID. */
const pool = new Uint8Array(16 * 256)
let used = pool.length

function random(): Uint8Array {
  if (used === pool.length) {
    crypto.getRandomValues(pool)
    used = 0
  }
  used += 16
  return pool.subarray(used - 16, used)
}

let [msecs, seq] = [0, 0]

/**
 * Returns a new time-ordered ID (UUID version 7, RFC 9562 §5.7). New primary keys are therefore added at the end of
 * their index. Within a millisecond, a counter with a random start orders the IDs of one process (§6.2).
 */
export function newId(): string {
  const now = Date.now()
  const bytes = random()
  if (now > msecs) {
    msecs = now
    seq = new DataView(bytes.buffer, bytes.byteOffset).getUint32(6) >>> 1
  } else if (++seq > 0xffff_ffff) {
    seq = 0
    msecs++
  }
  return v7({ random: bytes, msecs, seq })
}

/**
 * Returns the creation time of an ID in milliseconds since 1970, read from its first 48 bits. Returns NaN if the value
 * is not an ID.
 */
export const getIdTime = (id: string): number =>
  Id.safeParse(id).success ? Number.parseInt(id.replace('-', '').slice(0, 12), 16) : Number.NaN

/**
 * Returns the smallest possible ID for a time. IDs that were created before this time are smaller. Times before 1970
 * count as 1970.
 */
export function firstIdAt(at: Date): string {
  const hex = Math.max(0, at.getTime()).toString(16).padStart(12, '0')
  return `${hex.slice(0, 8)}-${hex.slice(8)}-7000-8000-000000000000`
}

export const Id = z.guid()
