import { z } from 'zod'
import { Id } from '#lib/ids.ts'
import { type Db, sql } from '../db.ts'
import { days } from '../retention.ts'
import { defineTable } from '../table.ts'

export const kinds = ['added', 'changed', 'removed'] as const

export const table = defineTable(
  'erp',
  'changes',
  z.object({
    import_id: Id,
    id: z.number(),
    kind: z.enum(kinds),
    jurisdiction: z.string(),
    code: z.string(),
    created_at: z.date(),
  }),
  { retention: days(90, 'created_at') },
)

/** Maximum number of listed changes per kind and import. Further changes are only counted. */
export const mostOfKind = 100_000

const Change = table.Row.pick({ id: true, kind: true, jurisdiction: true, code: true }).extend({
  name: z.string().nullable(),
})

type Change = z.infer<typeof Change>

/** Returns changes of an import after the change `id`, in any order. */
export async function list(
  db: Db,
  importId: string,
  { after = 0, limit }: { after?: number | undefined; limit: number },
): Promise<readonly Change[]> {
  return await db.any(sql.type(Change)`
    select h.id, h.kind, h.jurisdiction, h.code, c.name
    from erp.changes as h
    left join erp.companies as c on c.jurisdiction = h.jurisdiction and c.code = h.code
    where h.import_id = ${importId} and h.id > ${after} order by h.id limit ${limit}`)
}
