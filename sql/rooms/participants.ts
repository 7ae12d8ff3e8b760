import type { FragmentSqlToken } from 'slonik'
import { z } from 'zod'
import { Id } from '#lib/ids.ts'
import { type Db, sql } from '../db.ts'
import { lease } from '../jobs/lease.ts'
import { defineTable, getColumns } from '../table.ts'

/** Hosts moderate and publish, participants publish, viewers only watch. */
export const Role = z.enum(['host', 'participant', 'viewer'])

export const Kind = z.enum(['audio', 'video'])

export const Track = z.object({
  kind: Kind,
  source: z.enum(['microphone', 'camera', 'screen']),
  muted: z.boolean(),
})

export const LeftReason = z.enum(['left', 'kicked', 'replaced', 'connection_lost', 'media_server_lost', 'room_ended'])

export const table = defineTable(
  'rooms',
  'participants',
  z.object({
    room_id: Id,
    participant_id: Id,
    identity: z.string(),
    display_name: z.string(),
    role: Role,
    token_id: Id,
    worker_id: Id,
    connection_id: Id,
    state: z.enum(['joined', 'publishing', 'left']),
    tracks: z.array(Track),
    joined_at: z.date(),
    left_at: z.date().nullable(),
    left_reason: LeftReason.nullable(),
    kicked_at: z.date().nullable(),
    mute_requested: z.array(Kind),
  }),
)

/** An identity in a room. It keeps its row when it joins again. */
export type Participant = z.infer<typeof table.Row>

const columns = table.columns()

const present = sql.fragment`${getColumns(table.Row, 'p')}
  from rooms.participants as p
    join rooms.sessions as s on s.room_id = p.room_id and s.worker_id = p.worker_id
  where p.left_at is null and ${lease(sql.fragment`s.worker_id`)}`

export async function listPresent(db: Db, roomId: string): Promise<readonly Participant[]> {
  return await db.any(sql.type(table.Row)`
    select ${present} and p.room_id = ${roomId} order by p.joined_at, p.participant_id`)
}

export async function lockPresent(
  tx: Db,
  orgId: string,
  roomId: string,
  participantId: string,
): Promise<Participant | null> {
  return await tx.maybeOne(sql.type(table.Row)`
    select ${present} and p.room_id = ${roomId} and p.participant_id = ${participantId}
      and exists (select from rooms.rooms as r where r.id = p.room_id and r.org_id = ${orgId} and r.ended_at is null)
    for no key update of p`)
}

/** Returns the row of an identity, even if it has left. */
export async function findIdentity(tx: Db, roomId: string, identity: string): Promise<Participant | null> {
  return await tx.maybeOne(sql.type(table.Row)`
    select ${columns} from rooms.participants where room_id = ${roomId} and identity = ${identity}`)
}

export async function countOthers(tx: Db, roomId: string, identity: string): Promise<number> {
  return await tx.oneFirst(sql.type(z.object({ count: z.number() }))`
    select count(*)::integer as count from rooms.participants
    where room_id = ${roomId} and left_at is null and identity <> ${identity}`)
}

/** True if the token no longer works because its participant was removed. */
export async function isTokenRevoked(db: Db, roomId: string, tokenId: string): Promise<boolean> {
  return await db.exists(sql.type(z.object({ token_id: Id }))`
    select token_id from rooms.dead_tokens where room_id = ${roomId} and token_id = ${tokenId}`)
}

export type NewParticipant = Pick<
  Participant,
  'room_id' | 'participant_id' | 'identity' | 'display_name' | 'role' | 'token_id' | 'worker_id' | 'connection_id'
>

/** Marks an identity as joined. It gets its previous row again. */
export async function join(tx: Db, joining: NewParticipant): Promise<Participant> {
  return await tx.one(sql.type(table.Row)`
    ${table.insert({ ...joining, state: 'joined' })}
    on conflict (room_id, identity) do update set display_name = excluded.display_name, role = excluded.role,
      token_id = excluded.token_id, worker_id = excluded.worker_id, connection_id = excluded.connection_id,
      state = 'joined', tracks = '[]', joined_at = clock_timestamp(), left_at = null, left_reason = null,
      kicked_at = null, mute_requested = '{}'
    returning ${columns}`)
}

/**
 * Stores the connection state and the tracks of a participant. Does nothing if another connection has replaced this
 * one.
 */
export async function update(
  db: Db,
  { connection_id, state, tracks }: Pick<Participant, 'connection_id' | 'state' | 'tracks'>,
): Promise<void> {
  await db.query(sql.typeAlias('void')`
    update rooms.participants set state = ${state}, tracks = ${sql.jsonb(tracks)}
    where connection_id = ${connection_id} and left_at is null`)
}

/** Locks the rooms of participants until the transaction ends. Each transaction locks a room before its participants. */
async function lockRoomsOf(tx: Db, where: FragmentSqlToken): Promise<void> {
  await tx.query(sql.typeAlias('void')`
    select from rooms.rooms where id = any(array(select p.room_id from rooms.participants as p where ${where}))
    order by id for no key update`)
}

/** Marks participants with these connections as left. Returns only the rows that have changed. */
export async function leave(
  tx: Db,
  connectionIds: readonly string[],
  reason: z.infer<typeof LeftReason>,
): Promise<readonly Participant[]> {
  const connections = sql.array([...connectionIds], 'uuid')
  await lockRoomsOf(tx, sql.fragment`p.connection_id = any(${connections}) and p.left_at is null`)
  return await tx.any(sql.type(table.Row)`
    update rooms.participants
    set state = 'left', tracks = '[]', left_at = clock_timestamp(), left_reason = ${reason}
    where connection_id = any(${connections}) and left_at is null
    returning ${columns}`)
}

export async function leaveAll(
  tx: Db,
  roomId: string,
  reason: z.infer<typeof LeftReason>,
): Promise<readonly Participant[]> {
  return await tx.any(sql.type(table.Row)`
    update rooms.participants
    set state = 'left', tracks = '[]', left_at = clock_timestamp(), left_reason = ${reason}
    where room_id = ${roomId} and left_at is null
    returning ${columns}`)
}

const isLost = sql.fragment`p.left_at is null and not exists (
  select from rooms.sessions as s
  where s.room_id = p.room_id and s.worker_id = p.worker_id and ${lease(sql.fragment`s.worker_id`)})`

export async function leaveLost(tx: Db): Promise<readonly Participant[]> {
  await lockRoomsOf(tx, isLost)
  return await tx.any(sql.type(table.Row)`
    update rooms.participants as p
    set state = 'left', tracks = '[]', left_at = clock_timestamp(), left_reason = 'connection_lost'
    where ${isLost} returning ${getColumns(table.Row, 'p')}`)
}

export async function kick(tx: Db, { room_id, participant_id, token_id }: Participant): Promise<void> {
  await tx.query(sql.typeAlias('void')`
    insert into rooms.dead_tokens (room_id, token_id) values (${room_id}, ${token_id}) on conflict do nothing`)
  await tx.query(sql.typeAlias('void')`
    update rooms.participants set kicked_at = clock_timestamp()
    where room_id = ${room_id} and participant_id = ${participant_id}`)
}

export async function requestMute(
  tx: Db,
  participant: Participant,
  kinds: readonly z.infer<typeof Kind>[],
): Promise<void> {
  await tx.query(sql.typeAlias('void')`
    update rooms.participants
    set mute_requested = array(select distinct unnest(mute_requested || ${sql.array([...kinds], 'text')}))
    where room_id = ${participant.room_id} and participant_id = ${participant.participant_id}`)
}

export async function clearMute(db: Db, connectionId: string): Promise<void> {
  await db.query(sql.typeAlias('void')`
    update rooms.participants set mute_requested = '{}' where connection_id = ${connectionId}`)
}

export async function setRole(
  tx: Db,
  { room_id, participant_id }: Pick<Participant, 'room_id' | 'participant_id'>,
  role: z.infer<typeof Role>,
): Promise<void> {
  await tx.query(sql.typeAlias('void')`
    update rooms.participants set role = ${role}
    where room_id = ${room_id} and participant_id = ${participant_id}`)
}

export const ParticipantRequest = table.Row.pick({
  room_id: true,
  participant_id: true,
  connection_id: true,
  role: true,
  kicked_at: true,
  mute_requested: true,
})

export async function listRequests(
  db: Db,
  workerId: string,
  roomIds: readonly string[],
): Promise<readonly z.infer<typeof ParticipantRequest>[]> {
  return await db.any(sql.type(ParticipantRequest)`
    select ${getColumns(ParticipantRequest)} from rooms.participants
    where worker_id = ${workerId} and left_at is null and room_id = any(${sql.array([...roomIds], 'uuid')})`)
}
