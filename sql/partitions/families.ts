import type { FragmentSqlToken } from 'slonik'
import type { z } from 'zod'
import { sql } from '../db.ts'
import { table as emailMessages } from '../email/messages.ts'
import { table as pushMessages } from '../push/messages.ts'
import type { Retention } from '../retention.ts'
import { labelOf, type Table } from '../table.ts'
import { table as videoViews } from '../video/views.ts'
import { waitedFor, table as webhooksEvents } from '../webhooks/events.ts'

/** A partitioned table: its name as `area.name`, and the column of ids by whose time it is divided. */
export interface Member {
  name: string
  key: string
}

/** Tables whose partitions have the same bounds, and are made and dropped together: what hangs on another one after it. */
export interface Family {
  members: readonly [Member, ...Member[]]
  /** The table whose declaration says how long they are kept; rows of it go after the partition with what hangs on them. */
  kept: Pick<Table<z.ZodObject>, 'name' | 'retentions'>
  /**
   * Which rows keep a partition of such ids beyond its time. It is asked once more while everybody waits for the tables: by an
   * index that has the waiting rows alone.
   */
  held?: (within: (id: FragmentSqlToken) => FragmentSqlToken) => FragmentSqlToken
}

/** Every partitioned table, but for the log of requests, whose days are `account/request-days.ts`. */
export const families: readonly Family[] = [
  { members: [{ name: 'email.attempts', key: 'message_id' }], kept: emailMessages },
  {
    members: [{ name: 'push.attempts', key: 'message_id' }],
    kept: pushMessages,
    held: (within) => sql.fragment`
      select from push.deliveries as d where ${within(sql.fragment`d.message_id`)} and d.status = 'queued'`,
  },
  // A session is older than its views, and none counts any more when it is over.
  { members: [{ name: 'video.views', key: 'session_id' }], kept: videoViews },
  {
    members: [
      { name: 'webhooks.events', key: 'id' },
      { name: 'webhooks.deliveries', key: 'event_id' },
    ],
    kept: webhooksEvents,
    held: (within) => sql.fragment`${waitedFor} and ${within(sql.fragment`d.event_id`)}`,
  },
]

/** How long what a family holds is kept. */
export const retentionOf = ({ kept }: Family): Retention => kept.retentions[0] as Retention

/** The family whose rows a retention of a table ends: its own, or that of what hangs on it. */
export const familyOf = (label: string): Family | undefined => families.find(({ kept }) => labelOf(kept) === label)
