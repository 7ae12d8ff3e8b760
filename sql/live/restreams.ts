import { z } from 'zod'
import { Id } from '#lib/ids.ts'
import { type Db, sql } from '../db.ts'
import { lease } from '../jobs/lease.ts'
import { defineTable } from '../table.ts'
import { restreamQueries, targetColumns } from './restream-queries.ts'

export const table = defineTable(
  'live',
  'restreams',
  z.object({ id: Id, org_id: Id, channel_id: Id, ...targetColumns }),
)

/** Purpose of the encryption of stream keys of targets. The associated data is the target's ID. */
export const sealPurpose = 'video live restream'

/** Ignores states of an earlier broadcast or of a worker that no longer has the channel. */
export const channelRestreams = restreamQueries({
  table,
  limit: 'live.restreams',
  ownerColumn: 'channel_id',
  sessions: sql.fragment`live.sessions`,
  startedAt: sql.fragment`s.started_at`,
  hasWorker: lease(sql.fragment`s.worker_id`),
})

export async function removeAll(tx: Db, channelId: string): Promise<void> {
  await tx.query(sql.typeAlias('void')`delete from live.restreams where channel_id = ${channelId}`)
}
