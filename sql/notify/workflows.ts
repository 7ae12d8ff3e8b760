import { z } from 'zod'
import { Id, newId } from '#lib/ids.ts'
import { type Db, sql } from '../db.ts'
import type { Part } from '../filters.ts'
import { defineTable, getColumns } from '../table.ts'
import { Step } from './workflow-steps.ts'

export const table = defineTable(
  'notify',
  'workflows',
  z.object({
    id: Id,
    org_id: Id,
    key: z.string(),
    name: z.string(),
    product_key: z.string(),
    type: z.string(),
    fallback_locale: z.string(),
    fallback_time_zone: z.string(),
    steps: z.array(Step),
    version: z.number(),
    published_version: z.number().nullable(),
    created_at: z.date(),
    updated_at: z.date(),
  }),
)

export const Workflow = table.Row

export type Workflow = z.infer<typeof Workflow>

/** A workflow without its steps, which can have 300,000 characters. */
export const WorkflowSummary = Workflow.omit({ steps: true })
export type WorkflowSummary = z.infer<typeof WorkflowSummary>

export type WorkflowDraft = Pick<
  Workflow,
  'org_id' | 'key' | 'name' | 'product_key' | 'type' | 'fallback_locale' | 'fallback_time_zone' | 'steps'
>

export async function put(tx: Db, draft: WorkflowDraft): Promise<Workflow> {
  return await tx.one(sql.type(Workflow)`
    ${table.insertMany([{ id: newId(), ...draft }])}
    on conflict (org_id, key) do update set name = excluded.name, product_key = excluded.product_key, type = excluded.type,
      fallback_locale = excluded.fallback_locale,
      fallback_time_zone = excluded.fallback_time_zone, steps = excluded.steps, updated_at = now()
    returning ${table.columns()}`)
}

export async function find(db: Db, orgId: string, key: string): Promise<Workflow | null> {
  return await db.maybeOne(sql.type(Workflow)`
    select ${table.columns()} from notify.workflows where org_id = ${orgId} and key = ${key}`)
}

export async function lock(tx: Db, orgId: string, key: string): Promise<Workflow | null> {
  return await tx.maybeOne(sql.type(Workflow)`
    select ${table.columns()} from notify.workflows where org_id = ${orgId} and key = ${key} for update`)
}

export async function count(db: Db, orgId: string): Promise<number> {
  return await db.oneFirst(sql.typeAlias('count')`select count(*) from notify.workflows where org_id = ${orgId}`)
}

/** Stores which version events start. A new version is also stored as the last version. */
export async function setPublished(tx: Db, id: string, version: number | null): Promise<Workflow> {
  return await tx.one(sql.type(Workflow)`
    update notify.workflows set published_version = ${version}, version = greatest(version, ${version ?? 0})
    where id = ${id} returning ${table.columns()}`)
}

export async function remove(tx: Db, id: string): Promise<void> {
  await tx.query(sql.typeAlias('void')`delete from notify.workflows where id = ${id}`)
}

export async function list(db: Db, orgId: string, { before, limit }: Part): Promise<readonly WorkflowSummary[]> {
  const older = before ? sql.fragment`and id < ${before}` : sql.fragment``
  return await db.any(sql.type(WorkflowSummary)`
    select ${getColumns(WorkflowSummary)} from notify.workflows where org_id = ${orgId} ${older} order by id desc limit ${limit}`)
}
