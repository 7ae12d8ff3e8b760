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
    last_checked_at: Instant.nullable().describe('Last time that the source was checked and had the same content'),
    http_status: z.int().nullable(),
    content_type: z
      .string()
      .nullable()
      .describe('Media type of the content, detected regardless of the server’s header'),
    title: z.string().nullable(),
    size: z.int().nullable().describe('Size in bytes'),
    sha256: z.string().nullable().describe('SHA-256 hash of the content'),
    text_sha256: z
      .string()
      .nullable()
      .describe('SHA-256 hash of the readable text. `null` if there is no readable text.'),
    text_length: z.int().nullable().describe('Length in characters. Only the first million characters are stored.'),
    unchanged: z
      .boolean()
      .nullable()
      .describe(
        'True if the content or text is the same as in the previous successful snapshot. `null` for the first snapshot.',
      ),
    error_code: z.string().nullable().describe('Reason why the capture failed'),
  })
  .meta({ id: 'wiki.PublicSnapshot' })

export const Snapshot = PublicSnapshot.extend({
  final_url: z.string().nullable().describe('URL after redirects'),
  error_message: z.string().nullable(),
  bytes_pruned_at: Instant.nullable().describe('Time when the content was deleted because no claim cited it'),
}).meta({ id: 'wiki.Snapshot' })

export const presentSnapshot = ({ org_id: _, ...row }: rows.Snapshot): z.input<typeof Snapshot> => ({
  ...row,
  last_checked_at: row.last_checked_at ?? row.captured_at,
})
