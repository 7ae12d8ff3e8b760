import { log } from '#lib/log.ts'
import type { DatabasePool } from '#sql/db.ts'
import { hasNeighbour } from '#sql/jobs/workers.ts'
import { listWithPort, movePort } from '#sql/live/channels.ts'
import * as refusals from '#sql/live/refusals.ts'
import type { SrtPorts } from '../engine.ts'

export const srtPorts = (db: DatabasePool, workerId: string, range: readonly [number, number]): SrtPorts => ({
  list: () => listWithPort(db),
  move: (channelId, taken) => moveSrtPort(db, workerId, { channelId, taken, range }),
})

/**
 * Moves a channel to another port because another program uses its port. Does nothing if another worker runs on this
 * host, because that worker can have the port.
 */
async function moveSrtPort(
  db: DatabasePool,
  workerId: string,
  { channelId, taken, range }: { channelId: string; taken: number; range: readonly [number, number] },
): Promise<void> {
  if (await hasNeighbour(db, workerId)) return
  const port = await db.transaction((tx) => movePort(tx, channelId, taken, range))
  log.warn({ channel: channelId, taken, port }, 'another program is using the SRT port of a channel')
  if (port !== null) await refusals.note(db, { channel_id: channelId, source: 'srt', reason: 'port_taken' })
}
