import { z } from 'zod'
import { badRequest } from '#lib/errors.ts'
import type { DatabasePool } from '#sql/db.ts'
import { findByCode } from '#sql/erp/companies.ts'
import { present } from '../present.ts'
import { companyType, entityId, readEntityId } from './entity-type.ts'
import { properties } from './properties.ts'

export const Extension = z.object({
  ids: z.array(z.string().max(80)).min(1).max(200),
  properties: z
    .array(z.object({ id: z.string().max(60) }))
    .min(1)
    .max(20),
})

/** Returns properties of companies. Unknown companies have no values. Throws 400 with each unknown property. */
export async function extendCompanies(db: DatabasePool, { ids, properties: asked }: z.output<typeof Extension>) {
  const faults = asked.flatMap(({ id }, i) =>
    Object.hasOwn(properties, id)
      ? []
      : [{ field: `extend.properties.${i}.id`, issue: `must be one of ${Object.keys(properties).join(', ')}` }],
  )
  if (faults.length > 0) throw badRequest(faults)
  const codes = ids.flatMap((id) => readEntityId(id)?.code ?? [])
  const known = new Map((await findByCode(db, codes)).map((row) => [entityId(row), present(row)]))
  const rows = ids.map((id) => {
    const company = known.get(id)
    const values = asked.map((one) => {
      const value = company && properties[one.id]?.of(company)
      return [one.id, value ? [{ str: value }] : []] as const
    })
    return [id, Object.fromEntries(values)] as const
  })
  return {
    meta: asked.map(({ id }) => ({ id, name: properties[id]?.name ?? id })),
    rows: Object.fromEntries(rows),
  }
}

/** Proposes the properties that data extension offers. */
export const proposeProperties = () => ({
  type: companyType.id,
  properties: Object.entries(properties).map(([id, { name }]) => ({ id, name })),
})
