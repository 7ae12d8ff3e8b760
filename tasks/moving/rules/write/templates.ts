import { newId } from '#lib/ids.ts'
import type { Db } from '#sql/db.ts'
import * as templates from '#sql/email/templates.ts'
import type { Import } from '#sql/moving/imports.ts'
import type { Result, Row } from '#sql/moving/rows.ts'
import type { PreparedTemplate } from '../templates/prepare-template.ts'

/** Creates templates. A template whose alias exists is not changed, so a repeated import creates nothing twice. */
export async function writeTemplates(tx: Db, { org_id }: Import, rows: readonly Row[]): Promise<Result[]> {
  const results: Result[] = []
  for (const { number, item } of rows) results.push({ number, ...(await writeTemplate(tx, org_id, item as never)) })
  return results
}

async function writeTemplate(tx: Db, orgId: string, given: PreparedTemplate): Promise<Omit<Result, 'number'>> {
  const existing = await templates.findByAlias(tx, orgId, given.alias)
  if (existing) {
    const reason = `A template with the alias ${given.alias} exists. It was not changed.`
    return { outcome: 'existing', reason, target_id: existing.id }
  }
  const known = new Set((await templates.listPartials(tx, orgId, given.uses)).map(({ alias }) => alias))
  const missing = given.uses.find((alias) => !known.has(alias))
  if (missing !== undefined) {
    const reason = `The layout ${missing} was not imported. Create it, then import the template again.`
    return { outcome: 'invalid', reason, target_id: null }
  }
  const row = { id: newId(), org_id: orgId, syntax: 'liquid' as const, mjml: null, test_data: null }
  const made = await templates.insert(tx, { ...given, ...row })
  return { outcome: 'imported', reason: null, target_id: made.id }
}
