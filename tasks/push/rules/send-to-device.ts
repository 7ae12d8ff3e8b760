import type { Db } from '#sql/db.ts'
import type * as installations from '#sql/push/installations.ts'
import { expandTo } from '../expand.ts'
import { acceptMessages, type MessageRequest } from './accept-messages.ts'

/**
 * Sends a message to one active device of its person alone, in the caller's transaction. Returns its id; null when the
 * organisation's budget has no room for it.
 */
export async function sendToDevice(
  tx: Db,
  wanted: MessageRequest,
  device: installations.Device,
): Promise<string | null> {
  const [accepted] = await acceptMessages(tx, [wanted])
  if (!accepted) return null
  await expandTo(tx, accepted.id, device)
  return accepted.id
}
