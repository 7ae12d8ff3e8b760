import { newId } from '#lib/ids.ts'
import type { DatabasePool, Db } from '#sql/db.ts'
import * as participants from '#sql/rooms/participants.ts'
import * as rows from '#sql/rooms/rooms.ts'
import type { EntryRefusal } from '../engine.ts'
import { joinRoom, leaveRoom } from './presence.ts'
import { type RoomClaims, readRoomToken } from './room-token.ts'

/** Lets somebody into a room by their token: written down, one at a time, so that no room has more than it may. */
export async function admitToRoom<Opened>(
  db: DatabasePool,
  { roomId, token, secret, workerId }: { roomId: string; token: string; secret: string; workerId: string },
  open: () => Promise<Opened | undefined>,
): Promise<{ opened: Opened; participant: participants.Participant } | EntryRefusal> {
  const claims = readRoomToken(token, secret)
  if (claims?.room !== roomId) return { code: 'token', reason: 'the token is invalid or over' }
  const refusal = await refusalOf(db, claims)
  if (refusal) return refusal
  const opened = await open()
  if (!opened) return (await refusalOf(db, claims)) ?? { code: 'goingAway', reason: 'the room is elsewhere' }
  const entry = await db.transaction((tx) => enter(tx, claims, workerId))
  return 'code' in entry ? entry : { opened, participant: entry }
}

/** Why somebody is not let in, whoever has the room. */
async function refusalOf(db: DatabasePool, { room, jti }: RoomClaims): Promise<EntryRefusal | undefined> {
  const facts = await rows.findAny(db, room)
  if (!facts) return { code: 'token', reason: 'there is no such room' }
  if (facts.ended_at) return { code: 'roomEnded', reason: 'the room has ended' }
  return (await participants.isDead(db, room, jti)) ? { code: 'kicked', reason: 'kicked' } : undefined
}

async function enter(
  tx: Db,
  { room: id, jti, identity, displayName, role }: RoomClaims,
  workerId: string,
): Promise<participants.Participant | EntryRefusal> {
  const room = await rows.lockOpen(tx, id)
  if (!room) return { code: 'roomEnded', reason: 'the room has ended' }
  if (await participants.isDead(tx, id, jti)) return { code: 'kicked', reason: 'kicked' }
  if ((await participants.countOthers(tx, id, identity)) >= room.max_participants)
    return { code: 'roomFull', reason: `the room has its ${room.max_participants} participants` }
  const known = await participants.findIdentity(tx, id, identity)
  if (known && !known.left_at) await leaveRoom(tx, [known.connection_id], 'replaced')
  return await joinRoom(tx, room, {
    room_id: id,
    participant_id: known?.participant_id ?? newId(),
    identity,
    display_name: displayName,
    // A role that was given while they were in holds for the token with which they came.
    role: known?.token_id === jti ? known.role : role,
    token_id: jti,
    worker_id: workerId,
    connection_id: newId(),
  })
}
