import { z } from 'zod'
import { badRequest, type Fault } from '#lib/errors.ts'
import { Id, newId } from '#lib/ids.ts'
import { mapInTurns } from '#lib/turns.ts'
import type { Caller } from '#sql/account/keys.ts'
import type { Db } from '#sql/db.ts'
import * as rows from '#sql/email/import-rows.ts'
import * as imports from '#sql/email/imports.ts'
import { importRows } from '#tasks/email/import-rows.ts'
import { enqueue } from '#tasks/queue/enqueue.ts'
import { Instant } from '../../http/instant.ts'
import { checkText } from '../../http/request/json.ts'
import { isSandbox } from '../messages/sandbox.ts'

export const Import = z
  .object({
    id: Id,
    kind: imports.Kind,
    status: imports.Status,
    reason: z.string().nullable().describe('Why the import failed'),
    rows: z.int().describe('Number of rows in the list'),
    imported: z.int().describe('Number of rows that added a suppression or a contact'),
    existing: z.int().describe('Number of rows whose suppression or contact existed before, or earlier in the list'),
    invalid: z.int(),
    vouched: z
      .object({ at: Instant, reason: z.string() })
      .nullable()
      .describe('Set if an operator vouched for the consents: the contacts are `confirmed`'),
    sandbox: z.boolean(),
    created_at: Instant,
    finished_at: Instant.nullable(),
  })
  .meta({ id: 'email.ListImport' })

export const present = ({ vouched_at, vouch_reason, ...row }: imports.Import): z.input<typeof Import> => {
  const { id, kind, status, reason, rows, imported, existing, invalid, sandbox, created_at, finished_at } = row
  const vouched = vouched_at === null ? null : { at: vouched_at, reason: vouch_reason ?? '' }
  return { id, kind, status, reason, rows, imported, existing, invalid, vouched, sandbox, created_at, finished_at }
}

export const mapQuery = z.object({
  map: z
    .array(z.string().max(300))
    .max(20)
    .optional()
    .describe('For CSV files: maps one column to a field per parameter. For example, `Recipient:email`.'),
})

type GivenRow = Readonly<Record<string, string | number | undefined>>

type PreparedRow = Omit<rows.NewImportRow, 'import_id' | 'org_id'>

/** Returns the rows to store. A row with text that cannot be stored is invalid. */
export async function prepareRows(
  given: readonly GivenRow[],
  query: z.output<typeof mapQuery>,
  contentType: string | undefined,
): Promise<PreparedRow[]> {
  if (query.map && !contentType?.toLowerCase().startsWith('text/csv'))
    throw badRequest([{ field: 'query.map', issue: 'is only for CSV files' }])
  const lines = new Set<number>()
  return await mapInTurns(given, ({ line, ...texts }, i): PreparedRow => {
    const fields: Record<string, string> = {}
    for (const [name, text] of Object.entries(texts)) if (typeof text === 'string') fields[name] = text
    const place = { line: typeof line === 'number' ? line : i + 1 }
    if (lines.has(place.line))
      throw badRequest([{ field: `body.rows.${i}.line`, issue: 'must be different from the lines of other rows' }])
    lines.add(place.line)
    const faults: Fault[] = []
    checkText(fields, '', faults)
    if (!faults[0]) return { ...place, fields, outcome: null, reason: null }
    return { ...place, fields: {}, outcome: 'invalid', reason: `${faults[0].field.slice(1)}: ${faults[0].issue}` }
  })
}

/** Stores a list and adds the job that reads it. */
export async function acceptImport(
  tx: Db,
  { org, key }: Pick<Caller, 'org' | 'key'>,
  kind: imports.Kind,
  prepared: readonly PreparedRow[],
): Promise<z.input<typeof Import>> {
  const about = { id: newId(), org_id: org.id, key_id: key.id, sandbox: isSandbox(key), kind }
  const invalid = prepared.filter(({ outcome }) => outcome === 'invalid').length
  const added = await imports.insert(tx, { ...about, rows: prepared.length, invalid })
  await rows.insertMany(
    tx,
    prepared.map((row) => ({ import_id: added.id, org_id: org.id, ...row })),
  )
  await enqueue(tx, importRows, { importId: added.id }, { orgId: org.id, key: `import:${added.id}` })
  return present(added)
}
