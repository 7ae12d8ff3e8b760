import { z } from 'zod'
import { Id } from '#lib/ids.ts'
import { type Db, sql } from '../db.ts'
import { days } from '../retention.ts'
import { defineTable } from '../table.ts'

/** What becomes of a company in a register. */
export const kinds = ['added', 'changed', 'removed'] as const

/** Which companies imports have changed. */
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

/** Changes of a kind that are listed of one import at most: what is more is counted. */
export const mostOfKind = 100_000

const Change = table.Row.pick({ id: true, kind: true, jurisdiction: true, code: true }).extend({
  name: z.string().nullable(),
})

/** A company that an import has changed, by the name that it has now. */
type Change = z.infer<typeof Change>

/** What an import has changed, in no order that means anything, after the one with id `after`. */
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
