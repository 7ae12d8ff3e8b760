import { Readable } from 'node:stream'
import { z } from 'zod'
import { Id } from '#lib/ids.ts'
import { InstantInput } from '#lib/input-types.ts'
import * as audit from '#sql/account/audit.ts'
import type { Db } from '#sql/db.ts'
import { Instant } from '../http/instant.ts'
import { orderedListRoute } from '../http/lists/pagination.ts'
import { route } from '../http/route.ts'

const Values = z.record(z.string(), z.unknown()).nullable()

export const AuditEntry = z
  .object({
    id: Id,
    number: z.int().describe('Sequence number of the entry in the organisation. Starts at 1, without gaps.'),
    created_at: Instant,
    actor: z.object({ kind: audit.table.Row.shape.actor_kind, id: z.string().nullable(), name: z.string() }),
    action: z.string().describe('Action in the form `<resource>.<verb>`. For example, `key.created`.'),
    target: z.string().nullable().describe('ID of the object that was changed'),
    request_id: z.string().nullable(),
    network: z.string().nullable().describe('Client network, as a `/24` (IPv4) or `/48` (IPv6) prefix'),
    before: Values,
    after: Values,
    previous_hash: z.string(),
    hash: z
      .string()
      .describe('SHA-256 of the previous hash and this entry. `millrace audit check` verifies an export.'),
  })
  .meta({ id: 'account.AuditEntry' })

export const list = orderedListRoute({
  path: '/account/audit',
  summary: 'List audit log entries, newest first',
  description:
    'Each entry contains the actor, the action and the values before and after. Entries form a hash chain that you can verify.',
  scope: 'account:audit',
  beyondContract: true,
  filters: audit.filters,
  otherParams: ['until'],
  query: {
    action: z.string().max(100).optional(),
    actor: z.string().max(100).optional().describe('ID of the key or user that acted'),
    target: z.string().max(200).optional(),
    since: InstantInput.optional(),
    until: InstantInput.optional(),
  },
  item: AuditEntry,
  key: z.int(),
  keyOf: ({ number }: audit.Entry) => number,
  rows: ({ org, db, query: { until } }, page) => audit.list(db, org.id, { ...page, until }),
  present,
})

function present({ org_id: _, actor_kind, actor_id, actor_name, ...entry }: audit.Entry): z.input<typeof AuditEntry> {
  return { ...entry, actor: { kind: actor_kind, id: actor_id, name: actor_name } }
}

/** Streams the complete log in the order of its chain, one JSON object per line, so that you can verify it offline. */
export const exported = route({
  method: 'GET',
  path: '/account/audit/export',
  summary: 'Export the audit log',
  description: 'Returns NDJSON in the order of the chain. Each line contains a hashed row and its hash.',
  scope: 'account:audit',
  beyondContract: true,
  limit: { perMinute: 10, by: 'org' },
  status: 200,
  raw: 'application/x-ndjson',
  async handle({ ctx, db, org }) {
    ctx.type = 'application/x-ndjson'
    ctx.set('content-disposition', 'attachment; filename="audit.ndjson"')
    ctx.body = Readable.from(lines(db, org.id))
  },
})

const batch = 500

/** Reads the log in batches, as fast as the client receives it. */
async function* lines(db: Db, orgId: string): AsyncGenerator<string> {
  for (let after = 0; ; ) {
    const rows = await audit.listChain(db, orgId, after, batch)
    if (rows.length > 0) yield `${rows.map((row) => JSON.stringify(row)).join('\n')}\n`
    const last = rows.at(-1)
    if (!last || rows.length < batch) return
    after = last.number
  }
}
