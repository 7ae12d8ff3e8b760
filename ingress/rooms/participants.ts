import { z } from 'zod'
import { Id } from '#lib/ids.ts'
import type { DatabasePool, Db } from '#sql/db.ts'
import * as roomHosts from '#sql/rooms/hosts.ts'
import * as participants from '#sql/rooms/participants.ts'
import * as rooms from '#sql/rooms/rooms.ts'
import { Instant } from '../http/instant.ts'
import { mustFind } from '../http/must-find.ts'
import { pathId } from '../http/request/validate.ts'
import { route } from '../http/route.ts'
import { ParticipantView, presentParticipant } from './room-view.ts'

const inRoom = z.object({ roomId: pathId('room') })

const params = z.object({ roomId: pathId('room'), participantId: pathId('participant') })

export const list = route({
  method: 'GET',
  path: '/rooms/{roomId}/participants',
  summary: 'List participants of a room',
  description:
    'Returns the connected participants with their tracks. The list is compared regularly with the media server.',
  scope: 'stream:read',
  params: inRoom,
  status: 200,
  reply: z.object({
    data: z.array(ParticipantView),
    reconciledAt: Instant.nullable().describe(
      'Time of the last comparison with the media server. `null` while no worker has the room and it is empty.',
    ),
  }),
  problems: ['not_found'],
  async handle({ params: { roomId }, org, db }) {
    await mustFind(rooms.find(db, org.id, roomId), 'room')
    const [present, session] = await Promise.all([participants.listPresent(db, roomId), roomHosts.findHeld(db, roomId)])
    return { data: present.map(presentParticipant), reconciledAt: session?.reconciled_at ?? null }
  },
})

async function moderate(
  db: DatabasePool,
  org: { id: string },
  { roomId, participantId }: z.infer<typeof params>,
  act: (tx: Db, participant: participants.Participant) => Promise<void>,
): Promise<participants.Participant> {
  return await db.transaction(async (tx) => {
    const participant = await mustFind(participants.lockPresent(tx, org.id, roomId, participantId), 'participant')
    await act(tx, participant)
    await rooms.notifyChanged(tx, roomId)
    return participant
  })
}

export const kick = route({
  method: 'DELETE',
  path: '/rooms/{roomId}/participants/{participantId}',
  summary: 'Remove a participant from a room',
  description: 'Disconnects the participant. The participant’s token no longer works. A new token works.',
  scope: 'stream:write',
  beyondContract: true,
  params,
  status: 202,
  reply: z.object({ roomId: Id, participantId: Id }),
  problems: ['not_found'],
  async handle({ params: at, org, db }) {
    await moderate(db, org, at, (tx, participant) => participants.kick(tx, participant))
    return at
  },
})

export const mute = route({
  method: 'POST',
  path: '/rooms/{roomId}/participants/{participantId}/mute',
  repeatable: true,
  summary: 'Mute a participant',
  description: 'The participant is notified and can unmute themselves.',
  scope: 'stream:write',
  beyondContract: true,
  params,
  body: z.strictObject({ kinds: z.array(participants.Kind).min(1).max(2).default(['audio']) }),
  status: 202,
  reply: z.object({ roomId: Id, participantId: Id, kinds: z.array(participants.Kind) }),
  problems: ['not_found'],
  example: { body: { kinds: ['audio'] } },
  async handle({ params: at, body: { kinds }, org, db }) {
    await moderate(db, org, at, (tx, participant) => participants.requestMute(tx, participant, kinds))
    return { ...at, kinds }
  },
})

export const setRole = route({
  method: 'PATCH',
  path: '/rooms/{roomId}/participants/{participantId}',
  summary: 'Update the role of a participant',
  description:
    'A participant who becomes a `viewer` can no longer publish. The role applies to the token with which the participant joined.',
  scope: 'stream:write',
  beyondContract: true,
  params,
  body: z.strictObject({ role: participants.Role }),
  status: 200,
  reply: ParticipantView,
  problems: ['not_found'],
  example: { body: { role: 'viewer' } },
  async handle({ params: at, body: { role }, org, db }) {
    const before = await moderate(db, org, at, (tx, participant) => participants.setRole(tx, participant, role))
    return presentParticipant({ ...before, role })
  },
})
