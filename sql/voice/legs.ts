import { z } from 'zod'
import { Id } from '#lib/ids.ts'
import { type Db, sql } from '../db.ts'
import { defineTable } from '../table.ts'

/**
 * State of a SIP dialog (RFC 3261 12). It contains everything that is needed for a request within the dialog, and for a
 * CANCEL before it.
 */
export const Dialog = z.object({
  call_id: z.string(),
  local_uri: z.string(),
  local_tag: z.string(),
  remote_uri: z.string(),
  /** Null until the remote server has answered. */
  remote_tag: z.string().nullable(),
  /** Request URI: first the trunk’s URI, later the Contact of the remote server. */
  target: z.string(),
  routes: z.array(z.string()),
  cseq: z.int(),
  /** Branch of the last INVITE. A CANCEL needs the same branch (RFC 3261 9.1). */
  branch: z.string(),
  sent_by: z.string(),
})

export type Dialog = z.infer<typeof Dialog>

export const legStatuses = [
  'queued',
  'initiated',
  'ringing',
  'answered',
  'completed',
  'busy',
  'no_answer',
  'failed',
  'canceled',
] as const

export const table = defineTable(
  'voice',
  'legs',
  z.object({
    call_id: Id,
    leg: z.enum(['a', 'b']),
    number: z.string(),
    status: z.enum(legStatuses),
    trunk: z.string().nullable(),
    dialog: Dialog.nullable(),
    sip_status: z.number().nullable(),
    ringing_at: z.date().nullable(),
    answered_at: z.date().nullable(),
    ended_at: z.date().nullable(),
  }),
)

export type Leg = z.infer<typeof table.Row>

/** Returns the legs of calls by call ID, leg A first. */
export async function listByCalls(db: Db, ids: readonly string[]): Promise<ReadonlyMap<string, readonly Leg[]>> {
  if (ids.length === 0) return new Map()
  const rows = await db.any(sql.type(table.Row)`
    select ${table.columns()} from voice.legs where call_id = any(${sql.array([...ids], 'uuid')}) order by call_id, leg`)
  return Map.groupBy(rows, ({ call_id }) => call_id)
}
