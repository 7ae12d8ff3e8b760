import { v7 } from 'uuid'
import { z } from 'zod'

/** Random bytes are had for many ids at once: one by one they cost most of what an id does. */
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
 * A new time-ordered id (UUID version 7, RFC 9562 §5.7), so that primary keys grow at one end of their index; those of a
 * process come one after the other, within a millisecond by a counter (§6.2) that begins anywhere.
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

/** When an id of ours was made, in milliseconds since 1970: the first 48 bits of it; NaN for what is no id. */
export const madeAt = (id: string): number =>
  Id.safeParse(id).success ? Number.parseInt(id.replace('-', '').slice(0, 12), 16) : Number.NaN

/** The least id that can be made at an instant: those made before are smaller. No id was made before 1970. */
export function firstIdAt(at: Date): string {
  const hex = Math.max(0, at.getTime()).toString(16).padStart(12, '0')
  return `${hex.slice(0, 8)}-${hex.slice(8)}-7000-8000-000000000000`
}

/** The schema of an id, on the wire and in rows. */
export const Id = z.guid()
