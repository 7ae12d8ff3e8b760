import { z } from 'zod'
import { Id } from '#lib/ids.ts'
import { type Db, sql } from '../db.ts'
import { defineTable, getColumns } from '../table.ts'

/** What the parent is to the company. */
export const relationKinds = [
  'direct_parent',
  'ultimate_parent',
  'head_office',
  'fund_manager',
  'umbrella_fund',
  'master_fund',
] as const

export type RelationKind = (typeof relationKinds)[number]

export const relationStatuses = ['active', 'inactive'] as const

const Facts = z.object({
  lei: z.string(),
  kind: z.enum(relationKinds),
  parent_lei: z.string().nullable(),
  reason: z.string().nullable(),
  status: z.enum(relationStatuses),
  since: z.union([z.string(), z.date()]).nullable(),
  until: z.union([z.string(), z.date()]).nullable(),
  digest: z.string(),
})

export const table = defineTable('erp', 'relations', Facts.extend({ register: z.string() }))

export const staged = defineTable('erp', 'staged_relations', Facts.extend({ import_id: Id }))

export type StagedRelation = z.infer<typeof staged.Row>

const Relation = Facts.pick({ kind: true, reason: true, status: true, digest: true }).extend({
  lei: z.string().nullable(),
  since: z.string().nullable(),
  until: z.string().nullable(),
  register: z.string(),
  licence: z.string().nullable(),
  imported_at: z.date().nullable(),
  jurisdiction: z.string().nullable(),
  code: z.string().nullable(),
  name: z.string().nullable(),
  company_status: z.string().nullable(),
})

/** A relation, with the company at its other end if a register contains it. */
export type Relation = z.infer<typeof Relation>

/** Position in a list: LEI of the other company and digest. */
export interface RelationPlace {
  lei: string
  digest: string
}

/** Returns parents, or children, of a company by LEI. A parent that is not reported has no LEI. */
export async function listForCompany(
  db: Db,
  lei: string,
  { direction, after, limit }: { direction: 'parents' | 'children'; after: RelationPlace | undefined; limit: number },
): Promise<readonly Relation[]> {
  const [own, other, place] =
    direction === 'parents'
      ? [sql.fragment`r.lei`, sql.fragment`r.parent_lei`, sql.fragment`coalesce(r.parent_lei, ''), r.digest`]
      : [sql.fragment`r.parent_lei`, sql.fragment`r.lei`, sql.fragment`r.lei, r.digest`]
  const rest = after ? sql.fragment`and (${place}) > (${after.lei}, ${after.digest})` : sql.fragment``
  return await db.any(sql.type(Relation)`
    select r.kind, r.reason, r.status, r.digest, r.other as lei, r.since::text, r.until::text, r.register,
      g.licence, g.imported_at, c.jurisdiction, c.code, c.name, c.status as company_status
    from (
      select r.*, ${other} as other from erp.relations as r where ${own} = ${lei} ${rest}
      order by ${place} limit ${limit}) as r
    join erp.registers as g on g.name = r.register
    left join lateral (
      select jurisdiction, code, name, status from erp.companies where lei = r.other order by jurisdiction, code limit 1
    ) as c on true
    order by coalesce(r.other, ''), r.digest`)
}

/** True if a register of relations was imported. */
export async function hasRelations(db: Db): Promise<boolean> {
  return await db.exists(sql.typeAlias('void')`
    select from erp.registers where what = 'relations' and import_id is not null`)
}

export async function stage(db: Db, read: readonly StagedRelation[]): Promise<void> {
  await db.query(sql.typeAlias('void')`${staged.insertMany(read)}`)
}

export async function discard(db: Db, importId: string): Promise<void> {
  await db.query(sql.typeAlias('void')`delete from erp.staged_relations where import_id = ${importId}`)
}

export async function discardStrays(db: Db): Promise<void> {
  await db.query(sql.typeAlias('void')`
    delete from erp.staged_relations as s
    where not exists (select from erp.imports as i where i.id = s.import_id and i.state = 'waiting')`)
}

export async function countStaged(tx: Db, importId: string): Promise<{ rows: number; read: number }> {
  return await tx.one(sql.type(z.object({ rows: z.number(), read: z.number() }))`
    select count(*) as rows, count(distinct (lei, digest)) as read
    from erp.staged_relations where import_id = ${importId}`)
}

/** Replaces the relations of a register. Unchanged rows stay. */
export async function exchange(
  tx: Db,
  importId: string,
  register: string,
  { partial }: { partial: boolean },
): Promise<{ added: number; missing: number }> {
  const same = sql.fragment`s.import_id = ${importId} and s.lei = o.lei and s.digest = o.digest`
  await tx.query(sql.typeAlias('void')`analyze erp.staged_relations`)
  const missing = partial
    ? 0
    : (
        await tx.query(sql.typeAlias('void')`
          delete from erp.relations as o where o.register = ${register}
            and not exists (select from erp.staged_relations as s where ${same})`)
      ).rowCount
  const { rowCount: added } = await tx.query(sql.typeAlias('void')`
    insert into ${table.name} (${getColumns(Facts)}, register)
    select ${getColumns(Facts)}, ${register} from erp.staged_relations where import_id = ${importId}
    on conflict do nothing`)
  await discard(tx, importId)
  return { added, missing }
}

export async function countForRegister(tx: Db, register: string): Promise<number> {
  return await tx.oneFirst(sql.typeAlias('count')`select count(*) from erp.relations where register = ${register}`)
}
