import { z } from 'zod'
import { Id } from '#lib/ids.ts'
import type { Db } from '#sql/db.ts'
import * as messages from '#sql/live/chat-messages.ts'
import * as people from '#sql/live/chat-people.ts'
import * as chats from '#sql/live/chats.ts'
import { Instant } from '../../http/instant.ts'
import { BanReason } from './view.ts'

export const BanRequest = z.strictObject({
  seconds: z
    .int()
    .min(1)
    .max(31_622_400)
    .nullable()
    .default(null)
    .describe('Duration of the ban in seconds. `null`: until you remove the ban.'),
  reason: BanReason.nullable().default(null),
  deleteMessages: z.boolean().default(true).describe('Whether all messages of the person are also deleted'),
})

export const Ban = z
  .object({
    personId: Id,
    name: z.string(),
    bannedAt: Instant,
    bannedUntil: Instant.nullable(),
    reason: z.string().nullable(),
  })
  .meta({ id: 'live.ChatBan' })

export const presentBan = (one: people.ChatPerson): z.input<typeof Ban> => ({
  personId: one.id,
  name: one.name,
  bannedAt: one.banned_at as Date,
  bannedUntil: one.banned_until,
  reason: one.ban_reason,
})

/** Bans a person and disconnects the person’s open streams. Returns null if the channel has no such person. */
export async function ban(
  tx: Db,
  channelId: string,
  personId: string,
  { seconds, reason, deleteMessages, by }: z.output<typeof BanRequest> & { by: string },
): Promise<people.ChatPerson | null> {
  const until = seconds === null ? null : new Date(Date.now() + seconds * 1_000)
  const banned = await people.ban(tx, channelId, personId, { until, reason, by })
  if (!banned) return null
  if (deleteMessages) {
    await messages.removeOfPerson(tx, personId, by)
    await chats.notify(tx, { c: channelId, e: 'deleted', d: { personId } })
  }
  const told = { until: until?.toISOString() ?? null, reason }
  await chats.notify(tx, { c: channelId, e: 'banned', p: personId, d: told })
  return banned
}

/** Deletes a message and notifies readers. Returns false if there is no such message. */
export async function removeMessage(
  tx: Db,
  channelId: string,
  messageId: string,
  of: { by: string; personId?: string | undefined },
): Promise<boolean> {
  if (!(await messages.remove(tx, channelId, messageId, of))) return false
  await chats.notify(tx, { c: channelId, e: 'deleted', d: { messageId } })
  return true
}
