import type { ChannelMessage } from '#sql/bots/channel-messages.ts'
import type { Channel } from '#sql/bots/channels.ts'
import type { Db } from '#sql/db.ts'
import * as received from '#sql/email/received.ts'
import * as whatsapp from '#sql/whatsapp/messages.ts'
import { readEmail } from './read-email.ts'
import { readWhatsapp, type Said } from './read-whatsapp.ts'

/**
 * Returns a function that reads a received message: `isFirst` if it begins a conversation. Returns `null` if the message
 * was deleted or is no message to answer, such as a reaction.
 */
export async function readSaid(
  db: Db,
  { kind, org_id }: Pick<Channel, 'kind' | 'org_id'>,
  { transport_id }: Pick<ChannelMessage, 'transport_id'>,
): Promise<((isFirst: boolean) => Said) | null> {
  if (transport_id === null) return null
  if (kind === 'whatsapp') {
    const message = await whatsapp.find(db, org_id, transport_id)
    const said = message && readWhatsapp(message)
    return said && (() => said)
  }
  const mail = await received.find(db, org_id, transport_id)
  return mail && ((isFirst) => readEmail(mail, isFirst))
}
