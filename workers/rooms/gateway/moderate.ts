import type { RoomModeration } from '#tasks/rooms/engine.ts'
import type { Member } from './member.ts'
import type { MessageOf } from './messages.ts'
import { Refusal } from './refusal.ts'

/** What a host asks of another's connection. */
type ModerationRequest = MessageOf<'kick'> | MessageOf<'mute'> | MessageOf<'setRole'>

/** The room in which a host moderates. */
interface ModeratedRoom {
  members: ReadonlyMap<string, Member>
  putOut(member: Member, code: 'kicked', reason: 'kicked'): void
  changed(member: Member): void
}

/** Does what a host wants done to somebody; it is written down first, so that it outlasts the connection. */
export async function moderate(
  room: ModeratedRoom,
  host: Member,
  message: ModerationRequest,
  moderation: RoomModeration,
): Promise<void> {
  if (!host.can.moderate) throw new Refusal('forbidden', 'Only a host may do this.')
  const other = room.members.get(message.participantId)
  if (!other) throw new Refusal('not_found', 'No such participant is in the room.')
  switch (message.type) {
    case 'kick':
      await moderation.kick(other.row)
      room.putOut(other, 'kicked', 'kicked')
      break
    case 'setRole':
      await moderation.setRole(other.row, message.role)
      if (await other.setRole(message.role)) room.changed(other)
      break
    case 'mute':
      await other.mute(message.kind, host.id)
  }
  host.socket.send({ type: 'done', id: message.id })
}

/** Ends the room for everybody, as a host wants; that it has ended comes to all workers, and so to this one. */
export async function endByHost(
  roomId: string,
  host: Member,
  { id }: MessageOf<'end'>,
  moderation: RoomModeration,
): Promise<void> {
  if (!host.can.moderate) throw new Refusal('forbidden', 'Only a host may do this.')
  await moderation.end(roomId)
  host.socket.send({ type: 'done', id })
}
