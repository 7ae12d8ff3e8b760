import { newId } from '#lib/ids.ts'
import type { DatabasePool, Db } from '#sql/db.ts'
import * as links from '#sql/rooms/guest-links.ts'
import * as participants from '#sql/rooms/participants.ts'
import * as rows from '#sql/rooms/rooms.ts'
import * as waiting from '#sql/rooms/waiting.ts'
import { type EmittedEvent, emitMany } from '../../webhooks/rules/emit.ts'
import type { EntryRefusal, WaitingEntry } from '../engine.ts'
import { joinRoom, leaveRoom } from './presence.ts'
import { type RoomClaims, readRoomToken } from './room-token.ts'

/** Lets a person join with a token. Joins are processed one after the other, so that no room exceeds its limit. */
export async function admitToRoom<Opened>(
  db: DatabasePool,
  { roomId, token, secret, workerId }: { roomId: string; token: string; secret: string; workerId: string },
  open: () => Promise<Opened | undefined>,
): Promise<
  { opened: Opened; participant: participants.Participant } | ({ opened: Opened } & WaitingEntry) | EntryRefusal
> {
  const claims = readRoomToken(token, secret)
  if (claims?.room !== roomId) return { code: 'token', reason: 'the token is invalid or has expired' }
  const refusal = await refusalOf(db, claims)
  if (refusal) return refusal
  const opened = await open()
  if (!opened) return (await refusalOf(db, claims)) ?? { code: 'goingAway', reason: 'the room is on another worker' }
  const entry = await db.transaction((tx) => admitOrWait(tx, claims, workerId))
  return 'code' in entry ? entry : { opened, ...entry }
}

/** Lets a person join who was admitted after waiting. The token was valid when they arrived. */
export async function admitWaiting(
  db: DatabasePool,
  claims: RoomClaims,
  workerId: string,
): Promise<participants.Participant | EntryRefusal> {
  return await db.transaction(async (tx) => {
    const room = await rows.lockOpen(tx, claims.room)
    return room ? await enter(tx, room, claims, workerId) : { code: 'roomEnded', reason: 'the room has ended' }
  })
}

async function admitOrWait(
  tx: Db,
  claims: RoomClaims,
  workerId: string,
): Promise<{ participant: participants.Participant } | WaitingEntry | EntryRefusal> {
  const { room: id, jti, identity, displayName, role } = claims
  const room = await rows.lockOpen(tx, id)
  if (!room) return { code: 'roomEnded', reason: 'the room has ended' }
  if (await links.isTokenRevoked(tx, claims)) return linkRevoked
  if (room.waiting_room && role !== 'host' && !(await canSkipWaiting(tx, claims))) {
    if (await participants.isTokenRevoked(tx, id, jti)) return { code: 'kicked', reason: 'kicked' }
    if ((await waiting.countOthers(tx, id, jti)) >= waiting.maxWaiting)
      return { code: 'roomFull', reason: `the waiting room is full (${waiting.maxWaiting} people)` }
    const waitingId = newId()
    const row = await waiting.wait(tx, {
      room_id: id,
      waiting_id: waitingId,
      identity,
      display_name: displayName,
      role,
      token_id: jti,
      worker_id: workerId,
      connection_id: newId(),
    })
    if (row.waiting_id === waitingId) await emitMany(tx, [waits(room, row)])
    return { waiting: row, claims }
  }
  const entry = await enter(tx, room, claims, workerId)
  return 'code' in entry ? entry : { participant: entry }
}

const linkRevoked = { code: 'token', reason: 'the guest link was revoked' } as const satisfies EntryRefusal

/** True if the token was already admitted, or if its participant is in the room. */
async function canSkipWaiting(tx: Db, { room, jti, identity }: RoomClaims): Promise<boolean> {
  if (await waiting.isAdmitted(tx, room, jti)) return true
  return (await participants.findIdentity(tx, room, identity))?.token_id === jti
}

const waits = (room: rows.Room, one: waiting.Waiting): EmittedEvent => ({
  orgId: room.org_id,
  type: 'video.room.participant.waiting',
  data: {
    roomId: room.id,
    waitingId: one.waiting_id,
    identity: one.identity,
    displayName: one.display_name,
    role: one.role,
    since: one.since.toISOString(),
  },
})

async function refusalOf(db: DatabasePool, { room, jti }: RoomClaims): Promise<EntryRefusal | undefined> {
  const facts = await rows.findAny(db, room)
  if (!facts) return { code: 'token', reason: 'the room does not exist' }
  if (facts.ended_at) return { code: 'roomEnded', reason: 'the room has ended' }
  return (await participants.isTokenRevoked(db, room, jti)) ? { code: 'kicked', reason: 'kicked' } : undefined
}

async function enter(
  tx: Db,
  room: rows.Room,
  { jti, identity, displayName, role }: RoomClaims,
  workerId: string,
): Promise<participants.Participant | EntryRefusal> {
  const { id } = room
  if (await participants.isTokenRevoked(tx, id, jti)) return { code: 'kicked', reason: 'kicked' }
  if ((await participants.countOthers(tx, id, identity)) >= room.max_participants)
    return { code: 'roomFull', reason: `the room is full (${room.max_participants} participants)` }
  const known = await participants.findIdentity(tx, id, identity)
  if (known && !known.left_at) await leaveRoom(tx, [known.connection_id], 'replaced')
  return await joinRoom(tx, room, {
    room_id: id,
    participant_id: known?.participant_id ?? newId(),
    identity,
    display_name: displayName,
    role: known?.token_id === jti ? known.role : role,
    token_id: jti,
    worker_id: workerId,
    connection_id: newId(),
  })
}
