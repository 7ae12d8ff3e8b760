import { z } from 'zod'
import { Id } from '#lib/ids.ts'
import * as positions from '#sql/account/streams/positions.ts'
import type * as streams from '#sql/account/streams/streams.ts'
import { kinds, sources } from '#sql/account/streams/streams.ts'
import type { DatabasePool } from '#sql/db.ts'
import { Instant } from '../http/instant.ts'

const Position = z
  .object({
    source: z.enum(sources),
    sent: z.int().describe('Records that the server accepted'),
    set_aside: z.int().describe('Records that the server rejected, one by one'),
    lost: z.int().describe('Records that were deleted before they could be sent'),
    waiting_since: Instant.nullable().describe('Time of the oldest record that was not sent. `null`: all are sent.'),
    lag_seconds: z.int().describe('Age of the oldest record that was not sent'),
  })
  .meta({ id: 'account.StreamPosition' })

export const Stream = z
  .object({
    id: Id,
    name: z.string(),
    kind: z.enum(kinds),
    status: z.enum(['running', 'failing', 'paused']),
    settings: z.record(z.string(), z.unknown()).describe('Settings of its kind, without secrets'),
    sources: z.array(z.enum(sources)),
    event_types: z.array(z.string()),
    request_classes: z.array(z.int()),
    batch_seconds: z.int(),
    positions: z.array(Position),
    created_by: z.object({
      kind: z.enum(['key', 'user', 'operator', 'system']),
      id: z.string().nullable(),
      name: z.string(),
    }),
    created_at: Instant,
    updated_at: Instant,
    paused_at: Instant.nullable(),
    failing_since: Instant.nullable().describe('Start of the current failures'),
    last_error: z.string().nullable().describe('Last error, with secrets masked. It stays after a success.'),
    last_error_at: Instant.nullable(),
    last_sent_at: Instant.nullable(),
  })
  .meta({ id: 'account.Stream' })

export type Shown = streams.Stream & { positions: readonly positions.View[] }

/** Adds their positions to streams. */
export async function withPositions(db: DatabasePool, found: readonly streams.Stream[]): Promise<readonly Shown[]> {
  const all = await positions.list(
    db,
    found.map(({ id }) => id),
  )
  return found.map((one) => ({ ...one, positions: all.filter(({ stream_id }) => stream_id === one.id) }))
}

export const statusOf = ({ paused_at, failing_since }: streams.Stream): 'running' | 'failing' | 'paused' =>
  paused_at ? 'paused' : failing_since ? 'failing' : 'running'

export const lagOf = ({ waiting_since }: positions.View): number =>
  waiting_since ? Math.max(0, Math.round((Date.now() - waiting_since.getTime()) / 1_000)) : 0

export function present(row: Shown): z.input<typeof Stream> {
  const { org_id: _, created_by_kind, created_by, created_by_name, ...rest } = row
  return {
    ...rest,
    status: statusOf(row),
    positions: row.positions.map(({ stream_id: __, ...one }) => ({
      ...one,
      lag_seconds: lagOf({ ...one, stream_id: row.id }),
    })),
    created_by: { kind: created_by_kind, id: created_by, name: created_by_name },
  }
}
