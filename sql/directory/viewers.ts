import { z } from 'zod'
import { Id } from '#lib/ids.ts'
import { type Db, sql } from '../db.ts'
import { calendarDays } from '../retention.ts'
import { defineTable } from '../table.ts'

/** Viewers of videos per day, as hashes that only the day’s secret can reproduce. */
export const table = defineTable(
  'directory',
  'viewers',
  z.object({ video_id: Id, day: z.string(), network: z.string(), agent: z.string() }),
  { retention: calendarDays(1, 'day') },
)

export type Viewer = Omit<z.infer<typeof table.Row>, 'day'>

/**
 * Maximum number of viewers of one network per video and day. This is enough for a large office, and limits fake views.
 */
const mostOfNetwork = 100

/**
 * Counts viewers of listed videos who have not watched the video on that day. Rows are locked in the order of their
 * keys, so that transactions cannot deadlock.
 */
export async function countNewViewers(tx: Db, day: string, viewers: readonly Viewer[]): Promise<void> {
  await tx.query(sql.prepared('viewers.count', z.object({}))`
    with fresh as (
      insert into directory.viewers (video_id, day, network, agent)
      select s.video_id, ${day}::date, s.network, s.agent
      from (select distinct * from json_to_recordset(${JSON.stringify(viewers)}::json) as s (video_id uuid, network text, agent text)) as s
        join directory.videos as v on v.id = s.video_id and v.listed
      where (
        select count(*) from directory.viewers as k
        where k.video_id = s.video_id and k.day = ${day}::date and k.network = s.network) < ${mostOfNetwork}
      order by s.video_id, s.network, s.agent
      on conflict do nothing returning video_id
    ),
    grown as (select video_id, count(*) as views from fresh group by video_id),
    held as materialized (
      select v.id from directory.videos as v where v.id in (select video_id from grown) order by v.id for no key update
    )
    update directory.videos as v set views = v.views + grown.views
    from grown join held on held.id = grown.video_id where v.id = held.id`)
}
