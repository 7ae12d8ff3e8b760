import { type DatabasePool, isDisconnected, isUnconnected } from '#sql/db.ts'
import * as participants from '#sql/rooms/participants.ts'
import { NotWritten, type RoomModeration } from '../engine.ts'
import { endRoom } from './presence.ts'

/** What hosts may do to others, as it is written. */
export function createModeration(db: DatabasePool): RoomModeration {
  return {
    kick: (participant) => written(db.transaction((tx) => participants.kick(tx, participant))),
    setRole: (participant, role) => written(participants.setRole(db, participant, role)),
    end: (roomId) => written(db.transaction(async (tx) => void (await endRoom(tx, roomId, 'ended')))),
  }
}

async function written(writing: Promise<void>): Promise<void> {
  try {
    await writing
  } catch (error) {
    if (isDisconnected(error) || isUnconnected(error)) throw new NotWritten('the database is away', { cause: error })
    throw error
  }
}
