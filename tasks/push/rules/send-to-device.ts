import type { Db } from '#sql/db.ts'
import type { Device } from '#sql/push/audience-pages.ts'
import { expandTo } from '../expand.ts'
import { acceptMessages, type MessageRequest } from './accept-messages.ts'

/**
 * Sends a message to one active device only, in the caller’s transaction. Returns its ID. `null` if the message exceeds
 * the organisation’s budget.
 */
export async function sendToDevice(tx: Db, wanted: MessageRequest, device: Device): Promise<string | null> {
  const [accepted] = await acceptMessages(tx, [{ ...wanted, pushUserId: device.push_user_id }])
  if (!accepted) return null
  await expandTo(tx, accepted.id, device)
  return accepted.id
}
