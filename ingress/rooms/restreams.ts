import type { Caller } from '#sql/account/keys.ts'
import type { Db } from '#sql/db.ts'
import { lockRoomsOnAir, roomRestreams, sealPurpose } from '#sql/rooms/restreams.ts'
import * as rooms from '#sql/rooms/rooms.ts'
import { restreamMessage } from '#tasks/live/rules/restream-messages.ts'
import { maxRestreams } from '#tasks/live/rules/restream-target.ts'
import { mustFind } from '../http/must-find.ts'
import { problem } from '../http/problem-kinds.ts'
import type { RestreamOwner } from '../restreams/owner.ts'
import { restreamRoutes } from '../restreams/routes.ts'
import { findRoomGateway } from './place.ts'
import { roomEnded } from './room-view.ts'

const planFull = problem(
  403,
  'plan_limit_exceeded',
  'The plan does not allow another room with enabled restream targets.',
)

export const room: RestreamOwner = {
  area: 'rooms',
  noun: 'room',
  what: 'room',
  path: '/rooms/{roomId}',
  param: 'roomId',
  targets: roomRestreams,
  sealPurpose,
  find: rooms.find,
  hold: holdOpenRoom,
  admitEnabled: demandRoomOnAir,
  changed: notifyTargetsChanged,
  messageOf: (reason) =>
    reason === 'publisher_away'
      ? 'The video of the room is interrupted. The target receives the video again when it is available.'
      : restreamMessage(reason),
  createProblems: [planFull, roomEnded],
  updateProblems: [planFull, roomEnded],
  texts: {
    of: 'a room',
    create: `Combines the video and audio of all publishers and sends the result to the target. Restreaming starts immediately, even in an empty room, unless \`enabled\` is \`false\`. It ends with the room, and Millrace then deletes the key. A room can have up to ${maxRestreams} targets. The number of rooms with enabled targets is limited to the number of live channels in the plan.`,
    list: 'Returns the restream targets of the room with their state. Stream keys in their URLs are masked.',
    read: 'Returns the state of the target and the last error. The stream key in its URL is masked.',
    update:
      'Applies within two seconds, even during a broadcast. `enabled: false` stops sending to the target, and `true` starts it.',
    remove: 'The room is no longer broadcast to the target.',
    idle: 'no worker has the room',
    live: 'video',
  },
}

export const { create, list, read, update, remove } = restreamRoutes(room)

/** Throws 409 if the room has ended. */
async function holdOpenRoom(tx: Db, orgId: string, roomId: string): Promise<void> {
  const found = await mustFind(rooms.find(tx, orgId, roomId), 'room')
  // The room is locked, because the keys of the targets are deleted when the room ends.
  if (found.ended_at || !(await rooms.lockOpen(tx, roomId)))
    throw roomEnded('The room has ended.', { endedAt: found.ended_at ?? new Date() })
}

/** Throws 403 if the number of other rooms with enabled targets has reached the plan's number of live channels. */
async function demandRoomOnAir(tx: Db, orgId: string, roomId: string, plan: Caller['plan']): Promise<void> {
  const max = plan.live_channels
  if ((await lockRoomsOnAir(tx, orgId, roomId)) >= max)
    throw planFull(
      `Your plan allows ${max} rooms with enabled restream targets. Turn off the targets of another room.`,
      { max },
    )
}

/**
 * Notifies the worker of the room that its targets changed. If no worker has the room, the one with the lowest load
 * opens it.
 */
async function notifyTargetsChanged(tx: Db, roomId: string, enabled: boolean): Promise<void> {
  if (enabled) await findRoomGateway(tx, roomId)
  await rooms.notifyChanged(tx, roomId)
}
