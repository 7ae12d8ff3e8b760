import { config } from '#lib/config.ts'
import type { Db } from '#sql/db.ts'
import * as roomHosts from '#sql/rooms/hosts.ts'

/** Returns the gateway of an open room. Returns null if no worker can open rooms. */
export async function findRoomGateway(db: Db, roomId: string): Promise<string | null> {
  const capacity = config.ROOMS_CAPACITY
  // If two requests run at the same time, the second attempt returns the worker that the other request assigned.
  const session = (await roomHosts.assign(db, roomId, capacity)) ?? (await roomHosts.assign(db, roomId, capacity))
  return session && `${session.gateway_url}/rooms/${roomId}`
}
