import { z } from 'zod'
import { Id } from '#lib/ids.ts'
import type * as rows from '#sql/wiki/snapshots.ts'
import { Instant } from '../http/instant.ts'

export const PublicSnapshot = z
  .object({
    id: Id,
    source_id: Id,
    status: z.enum(['pending', 'ok', 'failed']),
    requested_at: Instant,
    captured_at: Instant.nullable(),
    last_checked_at: Instant.nullable().describe('Last time that the source had the same content'),
    http_status: z.int().nullable(),
    content_type: z.string().nullable().describe('Type of the bytes, detected regardless of the server’s header'),
    title: z.string().nullable(),
    size: z.int().nullable().describe('Size in bytes'),
    sha256: z.string().nullable().describe('Hash of the bytes'),
    text_sha256: z.string().nullable().describe('Hash of the readable text. `null` if there is no readable text'),
    text_length: z.int().nullable().describe('Length in characters. Only the first million is stored'),
    unchanged: z
      .boolean()
      .nullable()
      .describe('True if the bytes or text are the same as in the previous successful snapshot. `null` for the first'),
    error_code: z.string().nullable().describe('Why the capture failed'),
  })
  .meta({ id: 'wiki.PublicSnapshot' })

export const Snapshot = PublicSnapshot.extend({
  final_url: z.string().nullable().describe('URL after redirects'),
  error_message: z.string().nullable(),
  bytes_pruned_at: Instant.nullable().describe('Time when the bytes were deleted, because no claim cited them'),
}).meta({ id: 'wiki.Snapshot' })

export const presentSnapshot = ({ org_id: _, ...row }: rows.Snapshot): z.input<typeof Snapshot> => ({
  ...row,
  last_checked_at: row.last_checked_at ?? row.captured_at,
})
