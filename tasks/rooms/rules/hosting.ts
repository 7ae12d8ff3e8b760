import type { DatabasePool } from '#sql/db.ts'
import { listen } from '#sql/listen.ts'
import { listAir } from '#sql/rooms/air.ts'
import { listWaiting } from '#sql/rooms/broadcasts.ts'
import * as hosts from '#sql/rooms/hosts.ts'
import * as participants from '#sql/rooms/participants.ts'
import * as rooms from '#sql/rooms/rooms.ts'
import * as waiting from '#sql/rooms/waiting.ts'
import type { RoomHosting, RoomPresence, RoomState } from '../engine.ts'
import { admitToRoom, admitWaiting } from './admit.ts'
import { leaveRoom } from './presence.ts'
import { sweepRooms } from './sweep-rooms.ts'

export function createHosting(db: DatabasePool, workerId: string): RoomHosting {
  return {
    watch(onChange) {
      const listener = listen(db.configuration.connectionUri, [rooms.roomChannel])
      listener.on(rooms.roomChannel, onChange)
      return listener
    },
    offer: (gatewayUrl, load) => hosts.register(db, { worker_id: workerId, gateway_url: gatewayUrl, load }),
    withdraw: () => db.transaction((tx) => hosts.unregister(tx, workerId)),
    async claim(roomId, gatewayUrl) {
      const session = { room_id: roomId, worker_id: workerId, gateway_url: gatewayUrl }
      if (!(await hosts.claim(db, session))) return undefined
      return (await rooms.findAny(db, roomId)) ?? undefined
    },
    renew: (held) => hosts.renew(db, workerId, held),
    release: (roomId) => hosts.release(db, roomId, workerId),
    releaseOthers: (heldRoomIds) => hosts.releaseOthers(db, heldRoomIds, workerId),
    hasEnded: async (roomId) => (await rooms.listEnded(db, [roomId])).has(roomId),
    listWaiting: () => listWaiting(db, workerId),
    read: (roomIds) => readRooms(db, workerId, roomIds),
    sweep: () => sweepRooms(db),
  }
}

export function createPresence(db: DatabasePool, workerId: string, secret: string): RoomPresence {
  return {
    admit: (roomId, token, open) => admitToRoom(db, { roomId, token, secret, workerId }, open),
    letIn: (claims) => admitWaiting(db, claims, workerId),
    endWait: (connectionId) => waiting.leave(db, connectionId),
    update: (connection) => participants.update(db, connection),
    clearMute: (connectionId) => participants.clearMute(db, connectionId),
    leave: (connectionId, reason) => db.transaction((tx) => leaveRoom(tx, [connectionId], reason)),
  }
}

async function readRooms(
  db: DatabasePool,
  workerId: string,
  roomIds: readonly string[],
): Promise<ReadonlyMap<string, RoomState>> {
  const [ended, wishes, decided, states] = await Promise.all([
    rooms.listEnded(db, roomIds),
    participants.listRequests(db, workerId, roomIds),
    waiting.listStates(db, workerId, roomIds),
    listAir(db, roomIds),
  ])
  return new Map(
    [...states].map(([id, { broadcast, restreamed, recording, chat, waiting_room, layout }]) => {
      const state: RoomState = {
        hasEnded: ended.has(id),
        air: { broadcast, restreamed, recording },
        settings: { chat, waiting_room, layout },
        wishes: wishes.filter(({ room_id }) => room_id === id),
        waiting: decided.filter(({ room_id }) => room_id === id),
      }
      return [id, state]
    }),
  )
}
