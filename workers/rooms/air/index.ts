import { log } from '#lib/log.ts'
import type { Room } from '../gateway/room.ts'
import type { Attendant } from '../gateway/stage.ts'
import { RoomBroadcast } from './broadcasting.ts'
import { Recording, type RecordingTools } from './recording.ts'
import { RoomRestreams } from './restreaming.ts'

interface Air {
  attend(room: Room): Attendant
  settle(): Promise<void>
}

/** Broadcasts and records rooms. Each output has a separate composite, so that no output waits for another. */
export function createAir(tools: RecordingTools): Air {
  const closing = new Set<Promise<void>>()
  return {
    attend: (room) => {
      const parts = [
        new RoomBroadcast(room, tools),
        new RoomRestreams(room, tools),
        new Recording(room, tools),
      ] as const
      const [broadcasting, restreaming, recording] = parts
      let closed = false
      const looking = new Map<(typeof parts)[number], Promise<void>>()
      // Each part is checked separately, one check at a time, because a compositor needs a second to start.
      const look = (part: (typeof parts)[number]) => {
        if (looking.has(part) || closed) return
        const done = part
          .look()
          .catch((error) =>
            log.warn({ err: error, room: room.id }, 'the broadcast or recording of a room could not be checked'),
          )
          .finally(() => looking.delete(part))
        looking.set(part, done)
      }
      const close = async (how: 'ended' | 'given_up') => {
        await Promise.all(looking.values())
        const broadcast = how === 'ended' ? broadcasting.close() : broadcasting.stop()
        await Promise.all([broadcast, restreaming.stop(), recording.close(how)])
      }
      return {
        look: async () => parts.forEach(look),
        // Storing the remaining output takes time but does not block other rooms.
        close: async (how) => {
          closed = true
          const done = close(how)
            .catch((error) =>
              log.error({ err: error, room: room.id }, 'the broadcast or recording of a room did not end correctly'),
            )
            .finally(() => closing.delete(done))
          closing.add(done)
        },
      }
    },
    settle: async () => {
      await Promise.all(closing)
    },
  }
}
