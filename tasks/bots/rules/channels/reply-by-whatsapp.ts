import type { AddressedChannel } from '#sql/bots/channels.ts'
import type { Db } from '#sql/db.ts'
import { acceptMessages } from '../../../whatsapp/rules/accept-messages.ts'
import type { ChannelReply, ReplyOutcome } from './reply-outcome.ts'

/** Maximum number of characters of a text message at WhatsApp. */
export const mostCharacters = 4_096

/** Sends a reply from the number of the channel. The window must be open, because replies are not templates. */
export async function replyByWhatsapp(
  tx: Db,
  { org_id, number_id }: AddressedChannel,
  phone: string,
  { id, content }: ChannelReply,
): Promise<ReplyOutcome> {
  const [accepted] = await acceptMessages(tx, [
    { org_id, phone, type: 'text', content: { body: shortened(content) }, client_reference: id },
  ])
  if (!accepted || 'closed' in accepted) return { refused: 'window_closed' }
  if ('optedOut' in accepted) return { refused: 'opted_out' }
  if ('tooFast' in accepted) return { refused: 'rate_limited' }
  if ('overBudget' in accepted) return { refused: 'budget_reached' }
  const { message } = accepted
  // The number was removed since the channel was read. The platform’s number must not send instead.
  if (message.number_id !== number_id) throw new Error('another number would send the reply')
  return { sentId: message.id }
}

function shortened(text: string): string {
  if (text.length <= mostCharacters) return text
  const cut = text.slice(0, mostCharacters - 1)
  const space = cut.lastIndexOf(' ')
  return `${cut.slice(0, space > mostCharacters / 2 ? space : undefined).toWellFormed()}…`
}
