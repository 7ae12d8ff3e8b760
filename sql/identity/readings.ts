import { z } from 'zod'
import { Id, newId } from '#lib/ids.ts'
import { type Db, sql } from '../db.ts'
import { ScanStatus } from '../files/objects.ts'
import { defineTable } from '../table.ts'

export const DocumentFacts = z.object({
  format: z
    .enum(['TD1', 'TD2', 'TD3', 'AAMVA'])
    .describe('Document format in ICAO 9303. `AAMVA`: the barcode of a licence of the United States or Canada.'),
  kind: z.enum(['passport', 'card', 'driving_licence']),
  code: z.string().describe('Document code. For example, `P`, `ID` or `DL`.'),
  issuing_state: z.string().describe('Three-letter code in ICAO 9303-3, part 5. `D` is Germany.'),
  nationality: z.string().describe('Empty for barcodes of licences'),
  surname: z.string(),
  given_names: z.string(),
  document_number: z.string(),
  birth_date: z.iso.date().nullable().describe('`null` if the document has no full date'),
  expiry_date: z.iso.date().nullable(),
  sex: z.enum(['M', 'F']).nullable(),
  subdivision: z.string().nullish().describe('State or province that issued the licence, ISO 3166-2. Only barcodes.'),
  issue_date: z.iso.date().nullish().describe('Only barcodes'),
  address: z
    .object({ street: z.string(), city: z.string(), subdivision: z.string(), postal_code: z.string() })
    .nullish()
    .describe('Only barcodes'),
  barcode_version: z.int().nullish().describe('Version of the AAMVA standard. Only barcodes.'),
})

export type DocumentFacts = z.infer<typeof DocumentFacts>

/**
 * A check of the lines: check digits of four fields, of all fields, and the validity of both dates. A barcode has a known
 * issuer, complete fields and dates in order, and the same data as the lines of the image.
 */
export const DocumentCheck = z.object({
  check: z.enum([
    ...['document_number', 'birth_date', 'expiry_date', 'optional_data', 'composite', 'dates'],
    ...['issuer', 'fields', 'lines_match'],
  ] as const),
  passed: z.boolean(),
})

export type DocumentCheck = z.infer<typeof DocumentCheck>

export const UnreadReason = z.enum([
  'reader_unavailable',
  'reader_failed',
  'format_not_read',
  'unreadable_picture',
  'too_many_pixels',
  'too_small',
  'blurred',
  'no_lines',
  'unclear',
  'barcode_malformed',
])

export type UnreadReason = z.infer<typeof UnreadReason>

export const table = defineTable(
  'identity',
  'readings',
  z.object({
    id: Id,
    org_id: Id,
    object_id: Id,
    subject: z.string().nullable(),
    status: z.enum(['waiting', 'read', 'unread']),
    reason: UnreadReason.nullable(),
    facts: DocumentFacts.nullable(),
    checks: z.array(DocumentCheck).nullable(),
    number_hash: z.string().nullable(),
    requested_at: z.date(),
    read_at: z.date().nullable(),
  }),
)

export const Reading = table.Row

export type Reading = z.infer<typeof Reading>

/** Returns the reading of an object. A new one is created, with `isNew` set. */
export async function request(
  tx: Db,
  { orgId, objectId }: { orgId: string; objectId: string },
): Promise<{ reading: Reading; isNew: boolean }> {
  const made = await tx.maybeOne(sql.type(Reading)`
    ${table.insert({ id: newId(), org_id: orgId, object_id: objectId, status: 'waiting' })}
    on conflict (object_id) do nothing returning ${table.columns()}`)
  if (made) return { reading: made, isNew: true }
  const known = await tx.one(sql.type(Reading)`
    select ${table.columns()} from identity.readings where object_id = ${objectId}`)
  return { reading: known, isNew: false }
}

/**
 * Records the subject who submitted the object, to find other subjects with the same document. Returns `null` if the
 * reading was deleted.
 */
export async function recordSubmission(tx: Db, objectId: string, subject: string): Promise<Reading | null> {
  return await tx.maybeOne(sql.type(Reading)`
    update identity.readings set subject = ${subject} where object_id = ${objectId} returning ${table.columns()}`)
}

export async function requestAgain(tx: Db, objectId: string): Promise<Reading | null> {
  return await tx.maybeOne(sql.type(Reading)`
    update identity.readings set status = 'waiting', reason = null, facts = null, checks = null, number_hash = null,
      requested_at = now(), read_at = null
    where object_id = ${objectId} and status <> 'waiting' returning ${table.columns()}`)
}

export async function find(db: Db, orgId: string, objectId: string): Promise<Reading | null> {
  return await db.maybeOne(sql.type(Reading)`
    select ${table.columns()} from identity.readings where org_id = ${orgId} and object_id = ${objectId}`)
}

export async function listForObjects(db: Db, objectIds: readonly string[]): Promise<ReadonlyMap<string, Reading>> {
  if (objectIds.length === 0) return new Map()
  const found = await db.any(sql.type(Reading)`
    select ${table.columns()} from identity.readings where object_id = any(${sql.array([...objectIds], 'uuid')})`)
  return new Map(found.map((reading) => [reading.object_id, reading]))
}

const Waiting = Reading.extend({
  scan_status: ScanStatus,
  held_key: z.string().nullable(),
  sniffed_type: z.string().nullable(),
})

/**
 * Returns a pending reading with the location of its image. `null` if the reading is not pending or the image no longer
 * exists.
 */
export async function findWaiting(db: Db, objectId: string): Promise<z.infer<typeof Waiting> | null> {
  return await db.maybeOne(sql.type(Waiting)`
    select ${table.columns('r')}, o.scan_status, o.held_key, o.sniffed_type
    from identity.readings as r join files.objects as o on o.id = r.object_id and o.org_id = r.org_id
    where r.object_id = ${objectId} and r.status = 'waiting' and o.deleted_at is null`)
}

export type ReadingResult =
  | { facts: DocumentFacts; checks: DocumentCheck[]; numberHash: string | null }
  | { reason: UnreadReason }

export async function end(tx: Db, objectId: string, result: ReadingResult): Promise<Reading | null> {
  const set =
    'reason' in result
      ? { status: 'unread' as const, reason: result.reason }
      : {
          status: 'read' as const,
          facts: result.facts,
          checks: sql.jsonb(result.checks),
          number_hash: result.numberHash,
        }
  return await tx.maybeOne(sql.type(Reading)`
    update identity.readings set ${table.set(set)}, read_at = now()
    where object_id = ${objectId} and status = 'waiting' returning ${table.columns()}`)
}

export async function drop(tx: Db, objectId: string): Promise<void> {
  await tx.query(sql.typeAlias('void')`delete from identity.readings where object_id = ${objectId}`)
}

/** Returns up to 100 other subjects of the organisation who submitted the same document. */
export async function listSharers(
  db: Db,
  { org_id, number_hash }: Pick<Reading, 'org_id' | 'number_hash'>,
  subject: string,
): Promise<readonly string[]> {
  if (number_hash === null) return []
  return await db.anyFirst(sql.type(z.object({ subject: z.string() }))`
    select distinct subject from identity.readings
    where org_id = ${org_id} and number_hash = ${number_hash} and subject <> ${subject} order by subject limit 100`)
}
