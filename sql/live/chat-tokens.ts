import { z } from 'zod'
import { Id } from '#lib/ids.ts'
import { type Db, sql } from '../db.ts'
import { days } from '../retention.ts'
import { defineTable, getColumns } from '../table.ts'

export const TokenRole = z.enum(['viewer', 'moderator'])

export const table = defineTable(
  'live',
  'chat_tokens',
  z.object({
    id: Id,
    org_id: Id,
    channel_id: Id,
    person_id: Id,
    name: z.string(),
    role: TokenRole,
    can_clip: z.boolean(),
    expires_at: z.date(),
    revoked_at: z.date().nullable(),
    created_at: z.date(),
  }),
  { retention: days(1, 'expires_at') },
)

export type ChatToken = z.infer<typeof table.Row>

const Access = table.Row.extend({ is_banned: z.boolean() })

/** A token with the right of its person. */
export type ChatAccess = z.infer<typeof Access>

export async function insert(tx: Db, token: Omit<ChatToken, 'revoked_at' | 'created_at'>): Promise<ChatToken> {
  return await tx.one(sql.type(table.Row)`${table.insert(token)} returning ${table.columns()}`)
}

/** Returns a usable token of an existing channel. Null if it expired or was revoked, or if the organisation closes. */
export async function findUsable(db: Db, id: string): Promise<ChatAccess | null> {
  return await db.maybeOne(sql.type(Access)`
    select ${getColumns(table.Row, 't')},
      (p.banned_at is not null and (p.banned_until is null or p.banned_until > now())) as is_banned
    from live.chat_tokens as t
    join live.chat_people as p on p.id = t.person_id
    join live.channels as c on c.id = t.channel_id
    where t.id = ${id} and t.revoked_at is null and t.expires_at > now() and c.deleted_at is null
      and not account.is_closing(t.org_id)`)
}

/** Revokes a token. Returns false if the channel has no such token. */
export async function revoke(tx: Db, channelId: string, id: string): Promise<boolean> {
  const { rowCount } = await tx.query(sql.typeAlias('void')`
    update live.chat_tokens set revoked_at = coalesce(revoked_at, now()) where id = ${id} and channel_id = ${channelId}`)
  return rowCount === 1
}
