import { z } from 'zod'
import { Id } from '#lib/ids.ts'
import type * as rows from '#sql/notify/inbox.ts'
import { Instant } from '../http/instant.ts'

/** An event in an inbox, as lists and streams have it. */
export const Item = z
  .object({
    id: Id.describe('Also that of its event'),
    user_id: Id,
    product_key: z.string(),
    type: z.string(),
    title: z.string(),
    body: z.string().nullable(),
    data: z.record(z.string(), z.string()),
    url: z.string().nullable(),
    read_at: Instant.nullable().describe('Null while it is unread'),
    created_at: Instant,
  })
  .meta({ id: 'notify.Item' })

/** An item without what only the platform needs. */
export function present(item: rows.Item): z.input<typeof Item> {
  const { org_id: _, number: __, read_number: ___, ...shown } = item
  return shown
}
