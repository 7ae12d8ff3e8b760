import { config } from '#lib/config.ts'
import type { Db } from '#sql/db.ts'
import * as roomHosts from '#sql/rooms/hosts.ts'

/** Where clients of an open room connect to; null while no worker takes rooms. */
export async function gatewayOf(db: Db, roomId: string): Promise<string | null> {
  const capacity = config.ROOMS_CAPACITY
  // Of two that ask at once, one finds at the second try what the other was told.
  const session = (await roomHosts.place(db, roomId, capacity)) ?? (await roomHosts.place(db, roomId, capacity))
  return session && `${session.gateway_url}/rooms/${roomId}`
}
