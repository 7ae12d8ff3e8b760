import { isUtf8 } from 'node:buffer'
import { z } from 'zod'
import { Id } from '#lib/ids.ts'
import * as rows from '#sql/intake/requests.ts'
import { reasons } from '#tasks/intake/rules/signature.ts'
import { Instant } from '../http/instant.ts'

export const Request = z
  .object({
    id: Id,
    source_id: Id,
    verified: z.boolean().describe('True if the signature is valid'),
    reason: rows.Reason.nullable().describe('Why the signature is invalid'),
    status: rows.Status.describe(
      '`forwarded`: a job exists. `held`: waits until the source resumes or your organisation has fewer waiting jobs. `stored`: the source does not forward. `filtered`: the filter of the source does not match. `rejected`: the signature is invalid.',
    ),
    job_status: rows.JobStatus.nullable().describe('Status of the newest job. `pending`: it has not ended.'),
    event_id: z.string().nullable().describe('ID that the provider gave the event'),
    event_type: z.string().nullable().describe('Type that the provider gave the event'),
    duplicates: z.number().describe('Number of repeated requests of the same event, which were not forwarded'),
    content_type: z.string().nullable(),
    size: z.number().describe('Size of the body in bytes'),
    signed_at: Instant.nullable().describe('Time in the signature. `null` if the provider signs no time.'),
    received_at: Instant,
  })
  .meta({ id: 'intake.Request' })

export const ReadRequest = Request.extend({
  headers: z.record(z.string(), z.string()).describe('Headers of the request, without credentials'),
  reason_text: z.string().nullable(),
  body: z.string().nullable().describe('Exact body. `null` if it is not UTF-8 text, or if its text contains NUL.'),
  body_base64: z.string().nullable().describe('Exact body in base64. `null` if `body` has it.'),
  is_complete: z.boolean().describe('False if only the first 16 KiB are stored, because the signature is invalid'),
  job_ids: z.array(Id).describe('Jobs that forward the request, newest first, up to 20'),
}).meta({ id: 'intake.RequestWithBody' })

export const present = ({ org_id: _, headers: __, ...row }: rows.Facts): z.input<typeof Request> => row

/** Returns a body as text if that shows its exact bytes, otherwise null. */
export function textOf(body: Buffer): string | null {
  if (!isUtf8(body)) return null
  const text = body.toString('utf8')
  return text.includes('\0') ? null : text
}

export function presentWithBody(row: rows.Facts, body: Buffer, job_ids: string[]): z.input<typeof ReadRequest> {
  const text = textOf(body)
  return {
    ...present(row),
    headers: row.headers,
    reason_text: row.reason === null ? null : reasons[row.reason],
    body: text,
    body_base64: text === null ? body.toString('base64') : null,
    is_complete: body.length === row.size,
    job_ids,
  }
}
