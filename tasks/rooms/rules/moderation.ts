import { type DatabasePool, isDisconnected, isUnconnected } from '#sql/db.ts'
import * as participants from '#sql/rooms/participants.ts'
import * as rooms from '#sql/rooms/rooms.ts'
import * as waiting from '#sql/rooms/waiting.ts'
import { NotStoredError, type RoomModeration } from '../engine.ts'
import { endRoom } from './presence.ts'

export function createModeration(db: DatabasePool): RoomModeration {
  return {
    kick: (participant) => written(db.transaction((tx) => participants.kick(tx, participant))),
    setRole: (participant, role) => written(participants.setRole(db, participant, role)),
    decide: (one, decision) => written(db.transaction((tx) => waiting.decide(tx, one, decision))),
    set: (roomId, settings) =>
      written(db.transaction(async (tx) => void (await rooms.setSettings(tx, roomId, settings)))),
    end: (roomId) => written(db.transaction(async (tx) => void (await endRoom(tx, roomId, 'ended')))),
  }
}

async function written<Result>(writing: Promise<Result>): Promise<Result> {
  try {
    return await writing
  } catch (error) {
    if (isDisconnected(error) || isUnconnected(error))
      throw new NotStoredError('the database is unavailable', { cause: error })
    throw error
  }
}
