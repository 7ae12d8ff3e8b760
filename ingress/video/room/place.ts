import { config } from '#lib/config.ts'
import type { Db } from '#sql/db.ts'
import * as roomHosts from '#sql/video/room-hosts.ts'

/** Seconds for which a room is kept for the worker that clients were told of, until the first of them comes to it. */
const assignedSeconds = 10

/** Where clients of an open room connect to; null while no worker takes rooms. */
export async function gatewayOf(db: Db, roomId: string): Promise<string | null> {
  const terms = { capacity: config.ROOMS_CAPACITY, leaseSeconds: assignedSeconds }
  // Of two that ask at once, one finds at the second try what the other was told.
  const session = (await roomHosts.place(db, roomId, terms)) ?? (await roomHosts.place(db, roomId, terms))
  return session && `${session.gateway_url}/rooms/${roomId}`
}
