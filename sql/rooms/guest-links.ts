import { z } from 'zod'
import { Id } from '#lib/ids.ts'
import { type Db, sql } from '../db.ts'
import { defineTable } from '../table.ts'

/** Roles that a guest can have. Only people with a token of their own can be hosts. */
export const GuestRole = z.enum(['participant', 'viewer'])

export const table = defineTable(
  'rooms',
  'guest_links',
  z.object({
    id: Id,
    room_id: Id,
    role: GuestRole,
    created_at: z.date(),
    expires_at: z.date(),
    revoked_at: z.date().nullable(),
    guests: z.number(),
  }),
)

/** A link to a room that several people can use. */
export type GuestLink = z.infer<typeof table.Row>

/** Maximum number of usable links per room. */
export const maxGuestLinks = 20

const columns = table.columns()

const usable = sql.fragment`revoked_at is null and expires_at > now()`

export async function insert(
  db: Db,
  link: Pick<GuestLink, 'id' | 'room_id' | 'role' | 'expires_at'>,
): Promise<GuestLink | null> {
  return await db.transaction(async (tx) => {
    await tx.query(sql.typeAlias('void')`select from rooms.rooms where id = ${link.room_id} for update`)
    return (await listUsable(tx, link.room_id)).length >= maxGuestLinks
      ? null
      : await tx.one(sql.type(table.Row)`${table.insert(link)} returning ${columns}`)
  })
}

export async function listUsable(db: Db, roomId: string): Promise<readonly GuestLink[]> {
  return await db.any(sql.type(table.Row)`
    select ${columns} from rooms.guest_links where room_id = ${roomId} and ${usable} order by id desc`)
}

export async function find(db: Db, roomId: string, id: string): Promise<GuestLink | null> {
  return await db.maybeOne(sql.type(table.Row)`
    select ${columns} from rooms.guest_links where room_id = ${roomId} and id = ${id}`)
}

const Changed = table.Row.pick({ id: true })

/** Counts a guest. Returns false if the link was revoked or has expired. */
export async function countGuest(db: Db, id: string): Promise<boolean> {
  const counted = await db.maybeOne(sql.type(Changed)`
    update rooms.guest_links set guests = guests + 1 where id = ${id} and ${usable} returning id`)
  return counted !== null
}

/**
 * True if a guest’s token does not work because its link was revoked. Guests who are in the room can return after a lost
 * connection.
 */
export async function isTokenRevoked(
  db: Db,
  { room, link, jti }: { room: string; link?: string | undefined; jti: string },
): Promise<boolean> {
  if (link === undefined) return false
  return await db.exists(sql.type(Changed)`
    select id from rooms.guest_links as l
    where l.id = ${link} and l.room_id = ${room} and l.revoked_at is not null and not exists (
      select from rooms.participants as p where p.room_id = l.room_id and p.token_id = ${jti}
        and (p.left_at is null or p.left_reason in ('replaced', 'connection_lost', 'media_server_lost')))`)
}

/** Revokes a link. Returns false if the room has no usable link with this ID. */
export async function revoke(db: Db, roomId: string, id: string): Promise<boolean> {
  const revoked = await db.maybeOne(sql.type(Changed)`
    update rooms.guest_links set revoked_at = now()
    where room_id = ${roomId} and id = ${id} and ${usable} returning id`)
  return revoked !== null
}
