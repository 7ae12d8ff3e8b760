import { z } from 'zod'
import { Id } from '#lib/ids.ts'
import type * as rows from '#sql/wiki/snapshots.ts'
import { Instant } from '../http/instant.ts'

/** A snapshot as the public is told of it: what and when, not by which ways it was got. */
export const PublicSnapshot = z
  .object({
    id: Id,
    source_id: Id,
    status: z.enum(['pending', 'ok', 'failed']),
    requested_at: Instant,
    captured_at: Instant.nullable(),
    last_checked_at: Instant.nullable().describe('When its source said the same for the last time'),
    http_status: z.int().nullable(),
    content_type: z.string().nullable().describe('What the bytes are, whatever the server said'),
    title: z.string().nullable(),
    size: z.int().nullable().describe('Bytes'),
    sha256: z.string().nullable().describe('Of the bytes'),
    text_sha256: z.string().nullable().describe('Of the readable text; null where the bytes hold none that is read'),
    text_length: z.int().nullable().describe('Characters; the first million of them are kept'),
    unchanged: z
      .boolean()
      .nullable()
      .describe('Whether bytes or text are those of the last good snapshot before; null for the first'),
    error_code: z.string().nullable().describe('Why nothing was captured'),
  })
  .meta({ id: 'wiki.PublicSnapshot' })

/** A snapshot as its organisation sees it. */
export const Snapshot = PublicSnapshot.extend({
  final_url: z.string().nullable().describe('Where redirects led'),
  error_message: z.string().nullable(),
  bytes_pruned_at: Instant.nullable().describe('Since when its bytes are kept no more, as no claim cited it'),
}).meta({ id: 'wiki.Snapshot' })

/** A snapshot's row as it is shown. */
export const presentSnapshot = ({ org_id: _, ...row }: rows.Snapshot): z.input<typeof Snapshot> => ({
  ...row,
  last_checked_at: row.last_checked_at ?? row.captured_at,
})
