import type { RoomModeration } from '#tasks/rooms/engine.ts'
import type { Member } from './member.ts'
import type { ClientMessage, MessageOf } from './messages.ts'
import { RefusalError } from './refusal.ts'

const kinds = ['kick', 'mute', 'setRole', 'hand', 'set', 'end'] as const

type ModerationRequest = MessageOf<(typeof kinds)[number]>

/**
 * True if a message requests an action that only hosts can perform. All participants can raise and lower their own
 * hand.
 */
export const isModeration = (message: ClientMessage): message is ModerationRequest =>
  kinds.some((kind) => kind === message.type)

interface ModeratedRoom {
  id: string
  members: ReadonlyMap<string, Member>
  putOut(member: Member, code: 'kicked', reason: 'kicked'): void
  giveRole(member: Member, role: Member['role']): Promise<void>
  updates: { note(member: Member): void }
}

/** Performs an action of a host. The action is stored first, so that it outlasts the connection. */
export async function moderate(
  room: ModeratedRoom,
  host: Member,
  message: ModerationRequest,
  moderation: RoomModeration,
): Promise<void> {
  if (message.type === 'hand') raiseHand(room, host, message)
  else if (!host.can.moderate) throw new RefusalError('forbidden', 'Only a host can do this.')
  else if (message.type === 'set') {
    const { chat, waitingRoom, layout } = message
    // All participants are notified, as after a change through the API.
    await moderation.set(room.id, { chat, waiting_room: waitingRoom, layout })
    // All workers are notified of the end, including this one.
  } else if (message.type === 'end') await moderation.end(room.id)
  else await moderateOther(room, host, message, moderation)
  host.socket.send({ type: 'done', id: message.id })
}

async function moderateOther(
  room: ModeratedRoom,
  host: Member,
  message: MessageOf<'kick'> | MessageOf<'mute'> | MessageOf<'setRole'>,
  moderation: RoomModeration,
): Promise<void> {
  const other = room.members.get(message.participantId)
  if (!other) throw new RefusalError('not_found', 'No such participant is in the room.')
  switch (message.type) {
    case 'kick':
      await moderation.kick(other.row)
      room.putOut(other, 'kicked', 'kicked')
      break
    case 'setRole':
      await moderation.setRole(other.row, message.role)
      await room.giveRole(other, message.role)
      break
    case 'mute':
      await other.mute(message.kind, host.id)
  }
}

function raiseHand(room: ModeratedRoom, member: Member, { raised, participantId }: MessageOf<'hand'>): void {
  const other = participantId === undefined ? member : room.members.get(participantId)
  if (!other) throw new RefusalError('not_found', 'No such participant is in the room.')
  if (other !== member && (raised || !member.can.moderate))
    throw new RefusalError('forbidden', 'Only a host can lower the hand of another participant.')
  if (raised === (other.hand !== null)) return
  other.hand = raised ? new Date().toISOString() : null
  room.updates.note(other)
}
