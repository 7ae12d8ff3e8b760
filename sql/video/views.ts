import { z } from 'zod'
import { Id } from '#lib/ids.ts'
import { type Db, sql } from '../db.ts'
import { hours } from '../retention.ts'
import { defineTable } from '../table.ts'

export const PlaybackCounters = z.object({
  play_ms: z.number(),
  rebuffer_ms: z.number(),
  rebuffers: z.number(),
  bits: z.number(),
  decoded: z.number(),
  dropped: z.number(),
  switches: z.number(),
})

export const ViewCounters = PlaybackCounters.extend({
  /** Time from pressing play to the first frame in milliseconds. `null` before the first frame. */
  startup_ms: z.number().nullable(),
  errors: z.array(z.object({ code: z.string(), fatal: z.boolean(), count: z.number() })),
  /** Tenths of the video that were played, as bits: bit 0 is the first tenth. */
  reached: z.number().optional(),
})

export type ViewCounters = z.infer<typeof ViewCounters>

/**
 * Views, from beacons of players. A session lasts up to a day and is older than its views, so later beacons are not
 * counted.
 */
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
    country: z.string().nullable(),
    device: z.string().nullable(),
    browser: z.string().nullable(),
    page: z.string().nullable(),
  }),
  { retention: hours(25, 'created_at') },
)

/** Properties of the viewer. The first beacon of a view sets them. */
export type Viewing = Pick<z.infer<typeof table.Row>, 'country' | 'device' | 'browser' | 'page'>

/** One beacon of a view. The beacon with the highest sequence includes the others. */
export interface Beacon extends Viewing {
  session_id: string
  view_id: string
  asset_id: string
  /** True for an asset that needs no token, and therefore has no session. */
  open: boolean
  sequence: number
  counted: ViewCounters
}

const ViewUpdate = table.Row.omit({ sequence: true, created_at: true })

/**
 * Counters of an accepted beacon, and the previous counters of its view. The previous counters are `null` for the first
 * beacon.
 */
export type ViewUpdate = z.infer<typeof ViewUpdate>

/**
 * Time in minutes after the end of a session in which its beacons still count. The last beacon arrives after playback
 * has stopped.
 */
export const graceMinutes = 10

/** Maximum number of views per session. Reloading the web page starts a new view. */
const viewsOfSession = 100

/**
 * Stores beacons, up to one per view, and returns the accepted beacons. A beacon is accepted if it is newer than the
 * stored beacon, its asset exists, and its session is valid or was just revoked. The order is fixed, so that
 * transactions do not deadlock.
 */
export async function storeBeacons(tx: Db, beacons: readonly Beacon[]): Promise<readonly ViewUpdate[]> {
  return await tx.any(sql.prepared('views.take', ViewUpdate)`
    insert into video.views as v (session_id, view_id, asset_id, sequence, counted, country, device, browser, page)
    select b.session_id, b.view_id, b.asset_id, b.sequence, b.counted, b.country, b.device, b.browser, b.page
    from json_to_recordset(${JSON.stringify(beacons)}::json) as b
      (session_id uuid, view_id text, asset_id uuid, open boolean, sequence integer, counted jsonb, country text,
        device text, browser text, page text)
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
    returning v.session_id, v.view_id, v.asset_id, v.counted, v.before, v.country, v.device, v.browser, v.page`)
}
