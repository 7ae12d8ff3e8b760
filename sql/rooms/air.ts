import { z } from 'zod'
import { Id } from '#lib/ids.ts'
import { type Db, sql } from '../db.ts'
import { Settings } from './rooms.ts'

const AirState = Settings.extend({
  room_id: Id,
  broadcast: z.boolean(),
  restreamed: z.boolean(),
  recording: z.boolean(),
})

export async function listAir(
  db: Db,
  roomIds: readonly string[],
): Promise<ReadonlyMap<string, z.infer<typeof AirState>>> {
  const rows = await db.any(sql.type(AirState)`
    select id as room_id, chat, waiting_room, layout,
      exists (select from rooms.broadcasts as b where b.room_id = r.id and b.ended_at is null) as broadcast,
      exists (select from rooms.restreams as t where t.room_id = r.id and t.enabled) as restreamed,
      exists (select from rooms.recordings as c where c.room_id = r.id and c.ended_at is null) as recording
    from rooms.rooms as r where id = any(${sql.array([...roomIds], 'uuid')})`)
  return new Map(rows.map((row) => [row.room_id, row]))
}
