import { badRequest, Problem } from '#lib/errors.ts'
import { newId } from '#lib/ids.ts'
import type { DatabasePool, Db } from '#sql/db.ts'
import * as messages from '#sql/live/chat-messages.ts'
import * as people from '#sql/live/chat-people.ts'
import type { ChatAccess } from '#sql/live/chat-tokens.ts'
import * as chats from '#sql/live/chats.ts'
import { chatBanned, chatClosed } from './access.ts'
import { presentMessage } from './view.ts'

/**
 * Writes a message of a viewer or moderator. Every rule is checked in the transaction that stores the message. `count`
 * is called last, so that rejected messages do not use the limit of the channel.
 */
export async function writeMessage(
  db: DatabasePool,
  access: ChatAccess,
  text: string,
  count: () => void,
): Promise<messages.ChatMessage> {
  const { channel_id, org_id, person_id, name, role } = access
  return await db.transaction(async (tx) => {
    const settings = await chats.find(tx, channel_id)
    if ([...text].length > settings.max_length)
      throw badRequest([{ field: 'body.text', issue: `must have at most ${settings.max_length} characters` }])
    const isModerator = role === 'moderator'
    if (!isModerator && !(await chats.readOpening(tx, channel_id)).is_open)
      throw chatClosed('The chat is closed. You can write when a broadcast is live.')
    const refused = await people.takeTurn(tx, person_id, isModerator ? 0 : settings.slow_seconds)
    if (refused) throw refusalOf(refused)
    count()
    return await store(tx, { id: newId(), org_id, channel_id, person_id, name, role, text })
  })
}

/** Writes a message of the organisation. */
export const writeHostMessage = (
  tx: Db,
  message: { org_id: string; channel_id: string; name: string; text: string },
): Promise<messages.ChatMessage> => store(tx, { id: newId(), person_id: null, role: 'host', ...message })

async function store(tx: Db, message: Parameters<typeof messages.insert>[1]): Promise<messages.ChatMessage> {
  const stored = await messages.insert(tx, message)
  await chats.notify(tx, { c: stored.channel_id, e: 'message', d: presentMessage(stored) })
  return stored
}

function refusalOf({ is_banned, slow_wait, burst_wait }: people.WriteRefusal): Problem {
  if (is_banned) return chatBanned('You are banned from this chat.')
  const wait = Math.max(slow_wait, burst_wait)
  const what = slow_wait >= burst_wait ? 'Slow mode is on.' : 'You are writing too fast.'
  return new Problem(429, 'rate_limited', `${what} Wait ${wait} seconds.`, { retryAfter: wait })
}
