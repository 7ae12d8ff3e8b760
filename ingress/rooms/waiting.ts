import { z } from 'zod'
import { Id } from '#lib/ids.ts'
import type { DatabasePool } from '#sql/db.ts'
import { Role } from '#sql/rooms/participants.ts'
import * as rooms from '#sql/rooms/rooms.ts'
import * as waiting from '#sql/rooms/waiting.ts'
import { Instant } from '../http/instant.ts'
import { mustFind } from '../http/must-find.ts'
import { pathId } from '../http/request/validate.ts'
import { route } from '../http/route.ts'

const params = z.object({ roomId: pathId('room'), waitingId: pathId('waiting participant') })

const Decided = z.object({ roomId: Id, waitingId: Id })

export const list = route({
  method: 'GET',
  path: '/rooms/{roomId}/waiting',
  summary: 'List people in the waiting room',
  description: 'Returns up to 200 people in order of arrival.',
  scope: 'stream:read',
  beyondContract: true,
  params: z.object({ roomId: pathId('room') }),
  status: 200,
  reply: z.object({
    data: z.array(
      z
        .object({ waitingId: Id, identity: z.string(), displayName: z.string(), role: Role, since: Instant })
        .meta({ id: 'rooms.Waiting' }),
    ),
  }),
  problems: ['not_found'],
  async handle({ params: { roomId }, org, db }) {
    await mustFind(rooms.find(db, org.id, roomId), 'room')
    const found = await waiting.listPresent(db, roomId)
    return {
      data: found.map((one) => ({
        waitingId: one.waiting_id,
        identity: one.identity,
        displayName: one.display_name,
        role: one.role,
        since: one.since,
      })),
    }
  },
})

async function decide(
  db: DatabasePool,
  org: { id: string },
  { roomId, waitingId }: z.infer<typeof params>,
  decision: 'admitted' | 'refused',
): Promise<void> {
  await db.transaction(async (tx) => {
    const one = await mustFind(waiting.lockPresent(tx, org.id, roomId, waitingId), 'waiting participant')
    await waiting.decide(tx, one, decision)
    await rooms.notifyChanged(tx, roomId)
  })
}

const decisionFacts = {
  scope: 'stream:write',
  beyondContract: true,
  params,
  status: 202,
  reply: Decided,
  problems: ['not_found'],
} as const

export const admit = route({
  method: 'POST',
  path: '/rooms/{roomId}/waiting/{waitingId}/admit',
  summary: 'Admit a person from the waiting room',
  description: 'With the same token, the person can return without waiting.',
  ...decisionFacts,
  async handle({ params: at, org, db }) {
    await decide(db, org, at, 'admitted')
    return at
  },
})

export const refuse = route({
  method: 'DELETE',
  path: '/rooms/{roomId}/waiting/{waitingId}',
  summary: 'Reject a person in the waiting room',
  description: 'The token no longer works. With a new token, the person is in the waiting room again.',
  ...decisionFacts,
  async handle({ params: at, org, db }) {
    await decide(db, org, at, 'refused')
    return at
  },
})
