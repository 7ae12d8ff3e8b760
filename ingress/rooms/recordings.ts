import { z } from 'zod'
import { Id } from '#lib/ids.ts'
import * as recordings from '#sql/rooms/recordings.ts'
import * as rooms from '#sql/rooms/rooms.ts'
import { Instant } from '../http/instant.ts'
import { mustFind } from '../http/must-find.ts'
import { pathId } from '../http/request/validate.ts'
import { route } from '../http/route.ts'

const RecordingView = z
  .object({
    recordingId: Id,
    state: z
      .enum(['starting', 'recording', 'stored', 'recorded', 'failed'])
      .describe('`stored` when the room has ended. `recorded` when the asset exists.'),
    startedAt: Instant,
    endedAt: Instant.nullable(),
    assetId: Id.nullable(),
    message: z.string().nullable().describe('Reason for a failure'),
  })
  .meta({ id: 'rooms.Recording' })

export const list = route({
  method: 'GET',
  path: '/rooms/{roomId}/recordings',
  summary: 'List recordings of a room',
  description:
    'Returns the recordings of the room, newest first. A room that was created with `record` is recorded while someone publishes. When it ends, the recording becomes an asset.',
  scope: 'stream:read',
  beyondContract: true,
  params: z.object({ roomId: pathId('room') }),
  status: 200,
  reply: z.object({ data: z.array(RecordingView) }),
  problems: ['not_found'],
  async handle({ params: { roomId }, org, db }) {
    await mustFind(rooms.find(db, org.id, roomId), 'room')
    const found = await recordings.listByRoom(db, roomId)
    return {
      data: found.map((row) => ({
        recordingId: row.id,
        state: row.state,
        startedAt: row.started_at,
        endedAt: row.ended_at,
        assetId: row.asset_id,
        message: row.message,
      })),
    }
  },
})
