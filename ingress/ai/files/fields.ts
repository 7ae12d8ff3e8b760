import { z } from 'zod'
import { Id } from '#lib/ids.ts'
import { FileObject, type FileObject as Row } from '#sql/files/objects.ts'
import { toSeconds } from '../vector-stores/fields.ts'

/** Product and tenant of files that clients of OpenAI upload. */
export const place = { product_key: 'ai', tenant_id: 'files' } as const

export const Purpose = z.enum(['assistants', 'user_data'])

export const File = z
  .object({
    id: Id.describe('ID of the object in the files area'),
    object: z.literal('file'),
    bytes: z.int(),
    created_at: z.int().describe('Unix time in seconds'),
    expires_at: z.int().nullable().describe('Unix time in seconds. `null`: never'),
    filename: z.string(),
    purpose: Purpose,
    status: z
      .enum(['uploaded', 'processed', 'error'])
      .describe('`uploaded` during the virus scan, `processed` if the file is clean, `error` if it cannot be used'),
    status_details: z.string().nullable(),
    scan_status: FileObject.shape.scan_status,
  })
  .meta({ id: 'ai.File' })

export function presentFile(row: Row): z.input<typeof File> {
  const { scan_status, metadata } = row
  const isOpen = ['awaiting_upload', 'pending', 'scanning'].includes(scan_status)
  const ended = scan_status === 'clean' ? ('processed' as const) : ('error' as const)
  return {
    id: row.id,
    object: 'file',
    bytes: row.byte_size,
    created_at: toSeconds(row.created_at),
    expires_at: row.expires_at && toSeconds(row.expires_at),
    filename: row.filename,
    purpose: Purpose.safeParse(metadata.purpose).data ?? 'assistants',
    status: isOpen ? 'uploaded' : ended,
    status_details: ended === 'error' && !isOpen ? `The result of the virus scan is “${scan_status}”.` : null,
    scan_status,
  }
}
