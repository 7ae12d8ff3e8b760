import { z } from 'zod'
import { Id, newId } from '#lib/ids.ts'
import { type Db, sql } from '../db.ts'
import { ScanStatus } from '../files/objects.ts'
import { defineTable } from '../table.ts'

export const table = defineTable(
  'identity',
  'checks',
  z.object({
    id: Id,
    org_id: Id,
    subject: z.string(),
    requirement: z.string(),
    status: z.enum(['submitted', 'verified', 'rejected']),
    method: z.enum(['upload', 'consent', 'operator', 'api', 'webhook']),
    object_id: Id.nullable(),
    reason_code: z.string().nullable(),
    reason: z.string().nullable(),
    verified_at: z.date().nullable(),
    expires_at: z.date().nullable(),
    reported_at: z.date().nullable(),
    updated_at: z.date(),
  }),
)

export const Check = table.Row

export type Check = z.infer<typeof Check>

/** A check with the scan status of its file. `null` if the file no longer exists. */
export const ScannedCheck = Check.extend({ scan_status: ScanStatus.nullable(), filename: z.string().nullable() })

export type ScannedCheck = z.infer<typeof ScannedCheck>

export type CheckKey = Pick<Check, 'org_id' | 'subject' | 'requirement'>

const isAbout = ({ org_id, subject, requirement }: CheckKey) =>
  sql.fragment`org_id = ${org_id} and subject = ${subject} and requirement = ${requirement}`

const examined = sql.fragment`
  select ${table.columns('c')}, o.scan_status, o.filename from identity.checks as c
  left join files.objects as o on o.id = c.object_id and o.org_id = c.org_id and o.deleted_at is null`

export async function list(db: Db, orgId: string, subject: string): Promise<readonly ScannedCheck[]> {
  return await db.any(sql.type(ScannedCheck)`
    ${examined} where c.org_id = ${orgId} and c.subject = ${subject} order by c.requirement`)
}

export async function findAny(db: Db, id: string): Promise<ScannedCheck | null> {
  return await db.maybeOne(sql.type(ScannedCheck)`${examined} where c.id = ${id}`)
}

const WaitingCheck = ScannedCheck.extend({ org: z.string() })

export type WaitingCheck = z.infer<typeof WaitingCheck>

export async function listWaiting(db: Db, limit: number): Promise<readonly WaitingCheck[]> {
  return await db.any(sql.type(WaitingCheck)`
    select ${table.columns('c')}, o.scan_status, o.filename, g.name as org from identity.checks as c
    join files.objects as o on o.id = c.object_id and o.org_id = c.org_id and o.deleted_at is null
    join account.orgs as g on g.id = c.org_id
    where c.status = 'submitted' and o.scan_status = 'clean' order by c.updated_at, c.id limit ${limit}`)
}

export async function listWaitingForOrganisation(
  db: Db,
  orgId: string,
  limit: number,
): Promise<readonly ScannedCheck[]> {
  return await db.any(sql.type(ScannedCheck)`
    select ${table.columns('c')}, o.scan_status, o.filename from identity.checks as c
    join files.objects as o on o.id = c.object_id and o.org_id = c.org_id and o.deleted_at is null
    where c.org_id = ${orgId} and c.status = 'submitted' and o.scan_status = 'clean'
    order by c.updated_at, c.id limit ${limit}`)
}

/** Returns and locks a check. A new check is created as `rejected`, because no file was submitted. */
export async function lock(tx: Db, about: CheckKey): Promise<Check> {
  const { org_id, subject, requirement } = about
  const nothing = { status: 'rejected', method: 'upload', reason_code: 'nothing_submitted' } as const
  await tx.query(sql.typeAlias('void')`
    ${table.insert({ id: newId(), org_id, subject, requirement, ...nothing })}
    on conflict (org_id, subject, requirement) do nothing`)
  return await tx.one(sql.type(Check)`
    select ${table.columns()} from identity.checks where ${isAbout(about)} for update`)
}

export interface Outcome extends Pick<Check, 'status' | 'method'> {
  /** The new file of the check. Default: unchanged. */
  objectId?: string
  reason?: { code: string; text: string }
  expiresAt?: Date | null
  reportedAt?: Date
}

export async function settle(tx: Db, id: string, outcome: Outcome): Promise<Check> {
  const { status, method, objectId = null, reason, expiresAt = null, reportedAt = null } = outcome
  return await tx.one(sql.type(Check)`
    update identity.checks set
      status = ${status}, method = ${method}, object_id = coalesce(${objectId}::uuid, object_id),
      reason_code = ${reason?.code ?? null}, reason = ${reason?.text ?? null},
      verified_at = case when ${status} = 'verified' then now() end, expires_at = ${expiresAt?.toISOString() ?? null},
      reported_at = coalesce(${reportedAt?.toISOString() ?? null}::timestamptz, reported_at), updated_at = now()
    where id = ${id} returning ${table.columns()}`)
}
