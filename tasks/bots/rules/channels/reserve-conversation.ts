import { newId } from '#lib/ids.ts'
import type { Bot } from '#sql/bots/bots.ts'
import type { ChannelMessage } from '#sql/bots/channel-messages.ts'
import type { Channel } from '#sql/bots/channels.ts'
import * as conversations from '#sql/bots/conversations.ts'
import { findByEmail } from '#sql/bots/person.ts'
import type { Db } from '#sql/db.ts'
import { findByPhone } from '#sql/people/keys.ts'

type Contact = Pick<ChannelMessage, 'contact' | 'contact_verified'>

/** A conversation with the numbers of a question and its answer reserved. */
export interface Reserved {
  conversation: conversations.Conversation
  isNew: boolean
}

/**
 * Returns the open conversation of a contact, otherwise a new one, with the next two numbers reserved. The caller must
 * hold the lock of the contact.
 */
export async function reserveConversation(
  tx: Db,
  bot: Bot,
  channel: Channel,
  { contact, contact_verified }: Contact,
): Promise<Reserved> {
  const of = { channel_id: channel.id, contact, contact_verified }
  const open = await conversations.lockOfContact(tx, of, channel.silence_hours)
  const named = open && { orgId: open.org_id, botId: open.bot_id, id: open.id, userId: undefined }
  const reserved = named && (await conversations.reserveQuestionAndAnswer(tx, named))
  if (reserved) return { conversation: reserved, isNew: false }
  const place = { id: newId(), org_id: channel.org_id, bot_id: bot.id, bot_version: bot.version, variables: {} }
  const user_id = contact_verified ? await findUser(tx, channel, contact) : null
  return { conversation: await conversations.insert(tx, { ...place, ...of, user_id }), isNew: true }
}

/** Returns the organisation’s ID of the person, if the contact is linked to one. */
const findUser = (tx: Db, { kind, org_id }: Channel, contact: string): Promise<string | null> =>
  kind === 'whatsapp' ? findByPhone(tx, org_id, contact) : findByEmail(tx, org_id, contact)
