import type { DatabasePool } from '#sql/db.ts'
import * as participants from '#sql/rooms/participants.ts'
import { endRoom } from '#tasks/rooms/rules/presence.ts'
import type { Member } from './member.ts'
import type { MessageOf } from './messages.ts'
import { Refusal } from './refusal.ts'

/** What a host asks of another's connection. */
type Moderation = MessageOf<'kick'> | MessageOf<'mute'> | MessageOf<'setRole'>

/** Where a host moderates. */
interface Moderated {
  members: ReadonlyMap<string, Member>
  putOut(member: Member, code: 'kicked', reason: 'kicked'): void
  changed(member: Member): void
}

/** Does what a host wants done to somebody; it is written down first, so that it outlasts the connection. */
export async function moderate(room: Moderated, host: Member, message: Moderation, db: DatabasePool): Promise<void> {
  if (!host.can.moderate) throw new Refusal('forbidden', 'Only a host may do this.')
  const other = room.members.get(message.participantId)
  if (!other) throw new Refusal('not_found', 'No such participant is in the room.')
  switch (message.type) {
    case 'kick':
      await db.transaction((tx) => participants.kick(tx, other.row))
      room.putOut(other, 'kicked', 'kicked')
      break
    case 'setRole':
      await participants.setRole(db, other.row, message.role)
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
  db: DatabasePool,
): Promise<void> {
  if (!host.can.moderate) throw new Refusal('forbidden', 'Only a host may do this.')
  await db.transaction((tx) => endRoom(tx, roomId, 'ended'))
  host.socket.send({ type: 'done', id })
}
