import { z } from 'zod'
import { Id } from '#lib/ids.ts'
import type * as rows from '#sql/notify/inbox.ts'
import { Instant } from '../http/instant.ts'

export const Item = z
  .object({
    id: Id.describe('ID of the item and of its event'),
    user_id: z.string(),
    product_key: z.string(),
    type: z.string(),
    title: z.string(),
    body: z.string().nullable(),
    data: z.record(z.string(), z.string()),
    url: z.string().nullable(),
    read_at: Instant.nullable().describe('`null` while the item is unread'),
    seen_at: Instant.nullable().describe('`null` until the item was seen. Read items are also seen.'),
    archived_at: Instant.nullable(),
    created_at: Instant,
  })
  .meta({ id: 'notify.Item' })

/** Returns an item without internal fields. */
export function present(item: rows.Item, userId: string): z.input<typeof Item> {
  const { org_id: _, number: __, read_number: ___, mark_number: ____, ...shown } = item
  return { ...shown, user_id: userId, seen_at: item.seen_at ?? item.read_at }
}
