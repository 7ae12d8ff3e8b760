import type { FragmentSqlToken } from 'slonik'
import { sql } from '../../db.ts'
import type { MetricName } from './metrics.ts'

/** Returns a condition for the day `d.day`, from its start and end or from the lowest IDs of these times. */
const inDay = (column: FragmentSqlToken) => sql.fragment`${column} >= d.since and ${column} < d.until`
const idInDay = (column: FragmentSqlToken) => sql.fragment`${column} >= d.first_id and ${column} < d.end_id`
const minutesWithin = (start: FragmentSqlToken, end: FragmentSqlToken) => sql.fragment`
  sum(extract(epoch from least(${end}, d.until, now()) - greatest(${start}, d.since)) / 60)`

/** Source of a metric: rows `(org_id, part, amount)` of the day `d`. A part is `by:name` or `null`. */
export interface Source {
  metric: MetricName
  rows: FragmentSqlToken
  /** True if another source counts the total and this source returns only parts. */
  partsOnly?: true
}

/** Minutes are aggregated from this hour on. Earlier hours are complete. */
const wholeUntil = sql.fragment`
  (select coalesce(max(at) - interval '1 hour', '-infinity') from account.request_hours)`

function requestsBy(condition: FragmentSqlToken): FragmentSqlToken {
  return sql.fragment`
    select org_id, 'key:' || key_id, sum(count) from (
      select org_id, key_id, count from account.request_hours
      where ${inDay(sql.fragment`at`)} and at < ${wholeUntil} and ${condition}
      union all
      select org_id, key_id, count from account.request_minutes
      where ${inDay(sql.fragment`at`)} and at >= ${wholeUntil} and ${condition}) as counted
    group by 1, 2`
}

export const sources: readonly Source[] = [
  {
    metric: 'email.messages',
    partsOnly: true,
    rows: sql.fragment`
      select m.org_id, part, count(*) as amount from email.messages as m,
        lateral (values ('domain:' || split_part(m.from_email, '@', 2)), ('key:' || m.key_id)) as p (part)
      where ${idInDay(sql.fragment`m.id`)} and not m.sandbox and m.status not in ('suppressed', 'cancelled') and part is not null
      group by 1, 2`,
  },
  {
    metric: 'email.delivered',
    rows: sql.fragment`select org_id, 'stream:' || stream, delivered from email.daily where day = d.day`,
  },
  {
    metric: 'ai.tokens',
    partsOnly: true,
    rows: sql.fragment`
      select org_id, 'operation:' || operation, sum(prompt_tokens + completion_tokens) from ai.usage
      where day = d.day group by 1, 2`,
  },
  {
    metric: 'ai.requests',
    rows: sql.fragment`
      select org_id, 'operation:' || operation, sum(requests) from ai.usage where day = d.day group by 1, 2`,
  },
  {
    metric: 'bots.answers',
    rows: sql.fragment`
      select org_id, 'bot:' || bot_id, count(*) from bots.messages
      where ${idInDay(sql.fragment`id`)} and role = 'assistant' and status = 'completed' group by 1, 2`,
  },
  {
    metric: 'push.messages',
    partsOnly: true,
    rows: sql.fragment`
      select org_id, 'app:' || app_id, count(*) from push.messages
      where ${idInDay(sql.fragment`id`)} and not dry_run group by 1, 2`,
  },
  {
    metric: 'push.deliveries',
    rows: sql.fragment`
      select org_id, 'app:' || app_id, sum(count) from push.daily where day = d.day and status = 'sent' group by 1, 2`,
  },
  {
    metric: 'guard.challenges',
    rows: sql.fragment`
      select s.org_id, 'site:' || s.id, sum(h.count) from guard.hourly as h join guard.sites as s on s.id = h.site_id
      where ${inDay(sql.fragment`h.hour`)} and h.outcome = 'issued' group by 1, 2`,
  },
  {
    metric: 'video.encoded',
    rows: sql.fragment`
      select org_id, null, sum(duration_seconds) / 60 from video.assets where ${inDay(sql.fragment`ready_at`)} group by 1`,
  },
  ...(
    [
      ['video.delivered', sql.fragment`sum(q.play_ms) / 60000.0`],
      ['video.views', sql.fragment`sum(q.views)`],
      ['video.bytes', sql.fragment`sum(q.bits) / 8`],
    ] as const
  ).map(([metric, amount]) => ({
    metric,
    rows: sql.fragment`
      select a.org_id, 'asset:' || a.id, ${amount} from video.quality_hours as q join video.assets as a on a.id = q.asset_id
      where ${inDay(sql.fragment`q.at`)} group by 1, 2`,
  })),
  {
    metric: 'live.broadcast',
    rows: sql.fragment`
      select org_id, 'channel:' || channel_id, ${minutesWithin(sql.fragment`live_at`, sql.fragment`ended_at`)}
      from live.broadcasts
      where live_at < d.until and coalesce(ended_at, 'infinity') > d.since group by 1, 2`,
  },
  {
    metric: 'rooms.participants',
    rows: sql.fragment`
      select r.org_id, null, ${minutesWithin(sql.fragment`p.joined_at`, sql.fragment`p.left_at`)}
      from rooms.participants as p join rooms.rooms as r on r.id = p.room_id
      where p.joined_at < d.until and coalesce(p.left_at, 'infinity') > d.since group by 1`,
  },
  {
    metric: 'voice.seconds',
    partsOnly: true,
    rows: sql.fragment`
      select org_id, 'key:' || key_id, sum(ceil(extract(epoch from ended_at - answered_at))) from voice.calls
      where ${inDay(sql.fragment`ended_at`)} and answered_at is not null and key_id is not null group by 1, 2`,
  },
  {
    metric: 'voice.calls',
    rows: sql.fragment`
      select org_id, 'key:' || key_id, count(*) from voice.calls where ${idInDay(sql.fragment`id`)} group by 1, 2`,
  },
  {
    metric: 'whatsapp.received',
    rows: sql.fragment`
      select org_id, null, count(*) from whatsapp.messages
      where ${idInDay(sql.fragment`id`)} and direction = 'inbound' group by 1`,
  },
  {
    metric: 'sms.received',
    rows: sql.fragment`
      select org_id, null, count(*) from sms.messages
      where ${idInDay(sql.fragment`id`)} and direction = 'inbound' group by 1`,
  },
  {
    metric: 'identity.checks',
    rows: sql.fragment`
      select org_id, 'method:' || method, count(*) from identity.checks
      where ${inDay(sql.fragment`updated_at`)} group by 1, 2`,
  },
  {
    metric: 'notify.events',
    rows: sql.fragment`
      select org_id, 'product:' || product_key, count(*) from notify.events
      where ${inDay(sql.fragment`created_at`)} group by 1, 2`,
  },
  {
    metric: 'files.scans',
    rows: sql.fragment`
      select org_id, 'cause:' || cause, count(*) from files.scans where ${idInDay(sql.fragment`id`)} group by 1, 2`,
  },
  {
    metric: 'files.delivered',
    rows: sql.fragment`select org_id, 'object:' || object_id, bytes from files.delivery_days where day = d.day`,
  },
  {
    metric: 'wiki.snapshots',
    rows: sql.fragment`
      select org_id, null, count(*) from wiki.snapshots where ${idInDay(sql.fragment`id`)} group by 1`,
  },
  { metric: 'requests', rows: requestsBy(sql.fragment`true`) },
  ...(['trust.checks', 'geo.lookups', 'erp.lookups'] as const).map((metric) => ({
    metric,
    rows: requestsBy(sql.fragment`class = 2 and starts_with(operation, ${`${metric.split('.')[0]}.`})`),
  })),
]
