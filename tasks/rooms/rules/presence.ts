import type { z } from 'zod'
import type { Db } from '#sql/db.ts'
import type { LeftReason, NewParticipant, Participant } from '#sql/rooms/participants.ts'
import * as participants from '#sql/rooms/participants.ts'
import * as restreams from '#sql/rooms/restreams.ts'
import * as rooms from '#sql/rooms/rooms.ts'
import { type EmittedEvent, emitMany } from '../../webhooks/rules/emit.ts'

/** Adds a participant to a room and sends the webhooks. The caller must hold the lock on the open room. */
export async function joinRoom(tx: Db, room: rooms.Room, joining: NewParticipant): Promise<Participant> {
  const isFirst = await rooms.setOccupied(tx, room.id)
  const participant = await participants.join(tx, joining)
  await emitMany(tx, [...(isFirst ? [started(room)] : []), come(room, participant)])
  return participant
}

export async function leaveRoom(
  tx: Db,
  connectionIds: readonly string[],
  reason: z.infer<typeof LeftReason>,
): Promise<void> {
  await tellLeft(tx, await participants.leave(tx, connectionIds, reason))
}

/** Marks participants as left whose worker no longer has the room, and sends the webhooks. */
export async function leaveLost(tx: Db): Promise<void> {
  await tellLeft(tx, await participants.leaveLost(tx))
}

/** Ends a room once. All participants leave. Returns false if the room does not exist or has already ended. */
export async function endRoom(tx: Db, id: string, reason: z.infer<typeof rooms.EndReason>): Promise<boolean> {
  const room = await rooms.setEnded(tx, id, reason)
  if (!room) return false
  const left = await participants.leaveAll(tx, id, 'room_ended')
  await emitMany(tx, [...left.map((participant) => gone(room, participant)), ended(room)])
  await restreams.removeKeys(tx, id)
  await rooms.notifyChanged(tx, id)
  return true
}

export async function endOverdue(tx: Db): Promise<number> {
  const overdue = await rooms.listOverdue(tx)
  for (const id of overdue) await endRoom(tx, id, 'empty')
  return overdue.length
}

async function tellLeft(tx: Db, left: readonly Participant[]): Promise<void> {
  if (left.length === 0) return
  const ids = [...new Set(left.map(({ room_id }) => room_id))]
  const found = await Promise.all(ids.map((id) => rooms.findAny(tx, id)))
  const byId = new Map(found.flatMap((room) => (room ? [[room.id, room]] : [])))
  const events = left.flatMap((participant) => {
    const room = byId.get(participant.room_id)
    return room ? [gone(room, participant)] : []
  })
  await emitMany(tx, events)
  await rooms.setEmpty(tx, ids)
}

const started = (room: rooms.Room): EmittedEvent => ({
  orgId: room.org_id,
  type: 'video.room.started',
  data: { roomId: room.id, name: room.name, startedAt: new Date().toISOString() },
})

const come = (room: rooms.Room, participant: Participant): EmittedEvent => ({
  orgId: room.org_id,
  type: 'video.room.participant.joined',
  data: facts(room, participant),
})

const gone = (room: rooms.Room, participant: Participant): EmittedEvent => ({
  orgId: room.org_id,
  type: 'video.room.participant.left',
  data: {
    ...facts(room, participant),
    leftAt: participant.left_at?.toISOString() ?? null,
    reason: participant.left_reason,
  },
})

const facts = (room: rooms.Room, participant: Participant) => ({
  roomId: room.id,
  participantId: participant.participant_id,
  identity: participant.identity,
  displayName: participant.display_name,
  role: participant.role,
  joinedAt: participant.joined_at.toISOString(),
})

const ended = (room: rooms.Room): EmittedEvent => ({
  orgId: room.org_id,
  type: 'video.room.ended',
  data: {
    roomId: room.id,
    name: room.name,
    startedAt: room.started_at?.toISOString() ?? null,
    endedAt: room.ended_at?.toISOString() ?? null,
    reason: room.end_reason,
  },
})
