import type { FragmentSqlToken } from 'slonik'
import type { z } from 'zod'
import { sql } from '../db.ts'
import { table as emailMessages } from '../email/messages.ts'
import { table as pushMessages } from '../push/messages.ts'
import type { Retention } from '../retention.ts'
import { getTableLabel, type Table } from '../table.ts'
import { table as videoViews } from '../video/views.ts'
import { pendingDeliveries, table as webhooksEvents } from '../webhooks/events.ts'

export interface Member {
  name: string
  key: string
}

/**
 * Tables whose partitions have the same bounds and are created and dropped together. Dependent tables follow the tables
 * they depend on.
 */
export interface Family {
  members: readonly [Member, ...Member[]]
  /** Table whose declaration defines the retention. Its rows are deleted after the partition of dependent rows. */
  kept: Pick<Table<z.ZodObject>, 'name' | 'retentions'>
  /**
   * Rows that keep a partition longer than its retention. This is checked again while other transactions wait for the
   * tables, so it needs a small index.
   */
  held?: (within: (id: FragmentSqlToken) => FragmentSqlToken) => FragmentSqlToken
}

/** Every partitioned table except the request log, whose days are in `account/usage/request-days.ts`. */
export const families: readonly Family[] = [
  { members: [{ name: 'email.attempts', key: 'message_id' }], kept: emailMessages },
  {
    members: [{ name: 'push.attempts', key: 'message_id' }],
    kept: pushMessages,
    held: (within) => sql.fragment`
      select from push.deliveries as d where ${within(sql.fragment`d.message_id`)} and d.status = 'queued'`,
  },
  // A session is older than its views, and no view is counted after the session has ended.
  { members: [{ name: 'video.views', key: 'session_id' }], kept: videoViews },
  {
    members: [
      { name: 'webhooks.events', key: 'id' },
      { name: 'webhooks.deliveries', key: 'event_id' },
    ],
    kept: webhooksEvents,
    held: (within) => sql.fragment`${pendingDeliveries} and ${within(sql.fragment`d.event_id`)}`,
  },
]

export const getRetention = ({ kept }: Family): Retention => kept.retentions[0] as Retention

export const findFamily = (label: string): Family | undefined =>
  families.find(({ kept }) => getTableLabel(kept) === label)
