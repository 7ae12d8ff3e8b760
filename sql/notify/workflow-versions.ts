import { z } from 'zod'
import { Id } from '#lib/ids.ts'
import { type Db, sql } from '../db.ts'
import { defineTable } from '../table.ts'
import { Step } from './workflow-steps.ts'
import type { Workflow } from './workflows.ts'

export const table = defineTable(
  'notify',
  'workflow_versions',
  z.object({
    workflow_id: Id,
    version: z.number(),
    org_id: Id,
    key: z.string(),
    product_key: z.string(),
    type: z.string(),
    fallback_locale: z.string(),
    fallback_time_zone: z.string(),
    steps: z.array(Step),
    is_current: z.boolean(),
    created_at: z.date(),
  }),
)

export const Version = table.Row

export type Version = z.infer<typeof Version>

/** Product and type of the events that start a workflow. */
export type Trigger = Pick<Version, 'org_id' | 'product_key' | 'type'>

/** Publishes the draft. Throws `UniqueIntegrityConstraintViolationError` if another workflow has its trigger. */
export async function publish(tx: Db, workflow: Workflow, version: number): Promise<void> {
  const { id: workflow_id, org_id, key, product_key, type, fallback_locale, fallback_time_zone, steps } = workflow
  await unpublishVersion(tx, workflow_id)
  const facts = { org_id, key, product_key, type, fallback_locale, fallback_time_zone, steps }
  await tx.query(sql.typeAlias('void')`
    ${table.insertMany([{ workflow_id, version, ...facts }])}`)
}

/** Unpublishes a workflow. */
export async function unpublishVersion(tx: Db, workflowId: string): Promise<void> {
  await tx.query(sql.typeAlias('void')`
    update notify.workflow_versions set is_current = false where workflow_id = ${workflowId} and is_current`)
}

export async function findTriggered(db: Db, wanted: readonly Trigger[]): Promise<readonly Version[]> {
  if (wanted.length === 0) return []
  return await db.any(sql.type(Version)`
    select distinct on (v.workflow_id) ${table.columns('v')} from notify.workflow_versions as v
    join ${sql.unnest(
      wanted.map(({ org_id, product_key, type }) => [org_id, product_key, type]),
      ['uuid', 'text', 'text'],
    )} as w (org_id, product_key, type)
    on v.org_id = w.org_id and v.product_key = w.product_key and v.type = w.type and v.is_current`)
}

export async function findMany(
  db: Db,
  wanted: readonly Pick<Version, 'workflow_id' | 'version'>[],
): Promise<readonly Version[]> {
  if (wanted.length === 0) return []
  return await db.any(sql.type(Version)`
    select distinct on (v.workflow_id, v.version) ${table.columns('v')} from notify.workflow_versions as v
    join ${sql.unnest(
      wanted.map(({ workflow_id, version }) => [workflow_id, version]),
      ['uuid', 'int4'],
    )} as w (workflow_id, version) on v.workflow_id = w.workflow_id and v.version = w.version`)
}

/** Maximum size of the steps of versions that are listed together, in bytes. */
const maxListedBytes = 1024 * 1024

/** Returns the latest versions of a workflow, newest first: up to 100, and up to a megabyte. */
export async function listOf(db: Db, workflowId: string): Promise<readonly Version[]> {
  return await db.any(sql.type(Version)`
    select ${table.columns('v')} from (
      select *, sum(octet_length(steps::text)) over (order by version desc) - octet_length(steps::text) as bytes_before
      from notify.workflow_versions where workflow_id = ${workflowId} order by version desc limit 100
    ) as v where bytes_before < ${maxListedBytes} order by version desc`)
}

/** Returns the published versions of workflows by their keys. */
export async function findPublished(
  db: Db,
  wanted: readonly Pick<Version, 'org_id' | 'key'>[],
): Promise<readonly Version[]> {
  if (wanted.length === 0) return []
  return await db.any(sql.type(Version)`
    select distinct on (v.workflow_id) ${table.columns('v')} from notify.workflow_versions as v
    join ${sql.unnest(
      wanted.map(({ org_id, key }) => [org_id, key]),
      ['uuid', 'text'],
    )} as w (org_id, key) on v.org_id = w.org_id and v.key = w.key and v.is_current`)
}
