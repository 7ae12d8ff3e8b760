import { badRequest, conflict } from '#lib/errors.ts'
import * as channels from '#sql/bots/channels.ts'
import type { Conversation } from '#sql/bots/conversations.ts'
import type { Db } from '#sql/db.ts'
import { mostCharacters } from '#tasks/bots/rules/channels/reply-by-whatsapp.ts'

/** Throws if a reply can never reach the contact: 409 without the channel, 400 if the text is too long for WhatsApp. */
export async function requireChannel(
  db: Db,
  { channel_id }: Pick<Conversation, 'channel_id'>,
  message: string,
): Promise<void> {
  const [channel] = await channels.findMany(db, channel_id === null ? [] : [channel_id])
  if (!channel) throw conflict('The channel of the contact was deleted, so a reply cannot be sent.')
  if (!channel.connected) throw conflict('The number or the route of the channel no longer exists.')
  if (channel.kind === 'whatsapp' && message.length > mostCharacters) {
    const issue = `must have at most ${mostCharacters.toLocaleString('en')} characters for WhatsApp`
    throw badRequest([{ field: 'body.message', issue }])
  }
}
