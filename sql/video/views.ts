import { z } from 'zod'
import { Id } from '#lib/ids.ts'
import { type Db, sql } from '../db.ts'
import { hours } from '../retention.ts'
import { defineTable } from '../table.ts'

/** How playing went. */
export const PlaybackCounters = z.object({
  play_ms: z.number(),
  rebuffer_ms: z.number(),
  rebuffers: z.number(),
  /** Media played, in bits. */
  bits: z.number(),
  decoded: z.number(),
  dropped: z.number(),
  switches: z.number(),
})

/** What a view has come to, from its begin on. */
export const ViewCounters = PlaybackCounters.extend({
  /** Milliseconds from pressing play to the first frame; null before it. */
  startup_ms: z.number().nullable(),
  errors: z.array(z.object({ code: z.string(), fatal: z.boolean(), count: z.number() })),
})

/** The parsed account. */
export type ViewCounters = z.infer<typeof ViewCounters>

/** Views by their beacons. A session lasts a day at most and is older than its views: after that no beacon counts any more. */
export const table = defineTable(
  'video',
  'views',
  z.object({
    session_id: Id,
    view_id: z.string(),
    asset_id: Id,
    sequence: z.number(),
    counted: ViewCounters,
    before: ViewCounters.nullable(),
    created_at: z.date(),
  }),
  { retention: hours(25, 'created_at') },
)

/** One beacon of a view; of those of a view, the one with the highest sequence says all that the others do. */
export interface Beacon {
  session_id: string
  view_id: string
  asset_id: string
  /** Of an asset that needs no token, and so has no session. */
  open: boolean
  sequence: number
  counted: ViewCounters
}

const ViewUpdate = table.Row.pick({ session_id: true, view_id: true, asset_id: true, counted: true, before: true })

/** The counters of a beacon that counts, and those of its view before; null for a view's first. */
export type ViewUpdate = z.infer<typeof ViewUpdate>

/** Minutes for which beacons of a session that is over still count: a player's last word comes when it has been cut off. */
export const graceMinutes = 10

/** The most views of one session: reloading the page makes a new one. */
const viewsOfSession = 100

/**
 * Takes in beacons, at most one of each view, and returns those that count: newer than what the view has said, of an asset
 * that is there, and of a session that is valid or was revoked a moment ago. In one order, so that two transactions do
 * not deadlock.
 */
export async function take(tx: Db, beacons: readonly Beacon[]): Promise<readonly ViewUpdate[]> {
  return await tx.any(sql.prepared('views.take', ViewUpdate)`
    insert into video.views as v (session_id, view_id, asset_id, sequence, counted)
    select b.session_id, b.view_id, b.asset_id, b.sequence, b.counted
    from json_to_recordset(${JSON.stringify(beacons)}::json) as b
      (session_id uuid, view_id text, asset_id uuid, open boolean, sequence integer, counted jsonb)
    join video.assets as a on a.id = b.asset_id and a.status in ('processing', 'ready')
      and a.org_id not in (select org_id from account.closures where state in ('waiting', 'running'))
    where case when b.open then a.visibility in ('unlisted', 'public')
      else exists (
        select from video.playback_sessions as s where s.id = b.session_id and s.asset_id = a.id
          and coalesce(s.revoked_at, 'infinity') > now() - make_interval(mins => ${graceMinutes})) end
      and (exists (select from video.views as k where k.session_id = b.session_id and k.view_id = b.view_id)
        or (select count(*) from video.views as k where k.session_id = b.session_id) < ${viewsOfSession})
    order by b.session_id, b.view_id
    on conflict (session_id, view_id) do update
      set sequence = excluded.sequence, before = v.counted, counted = excluded.counted
      where v.sequence < excluded.sequence
    returning v.session_id, v.view_id, v.asset_id, v.counted, v.before`)
}
