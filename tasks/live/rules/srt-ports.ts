import { log } from '#lib/log.ts'
import type { DatabasePool } from '#sql/db.ts'
import { hasNeighbour } from '#sql/jobs/workers.ts'
import { listWithPort, movePort } from '#sql/live/channels.ts'
import * as refusals from '#sql/live/refusals.ts'
import type { SrtPorts } from '../engine.ts'

/** The SRT ports of channels, as a worker listens on them; `range` is the first and the last. */
export const srtPorts = (db: DatabasePool, workerId: string, range: readonly [number, number]): SrtPorts => ({
  list: () => listWithPort(db),
  move: (channelId, taken) => moveSrtPort(db, workerId, { channelId, taken, range }),
})

/** Gives a channel another port, as a program that is none of ours has its own: with a neighbour on this host, that one may have it. */
async function moveSrtPort(
  db: DatabasePool,
  workerId: string,
  { channelId, taken, range }: { channelId: string; taken: number; range: readonly [number, number] },
): Promise<void> {
  if (await hasNeighbour(db, workerId)) return
  const port = await db.transaction((tx) => movePort(tx, channelId, taken, range))
  log.warn({ channel: channelId, taken, port }, 'another program uses the SRT port of a channel')
  if (port !== null) await refusals.note(db, { channel_id: channelId, source: 'srt', reason: 'port_taken' })
}
