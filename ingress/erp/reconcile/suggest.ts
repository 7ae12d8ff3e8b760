import type { DatabasePool } from '#sql/db.ts'
import { searchCompanies } from '../search.ts'
import { companyType, type EntityType, entityId, typeOf } from './entity-type.ts'

const most = 10

/** Suggests companies whose code or name starts with a text. Empty for texts of fewer than two characters. */
export async function suggestEntities(db: DatabasePool, prefix: string) {
  if (prefix.length < 2) return []
  const { found } = await searchCompanies(db, { q: prefix, filter: {}, place: undefined, limit: most })
  return found.slice(0, most).map(([, company]) => ({
    id: entityId(company),
    name: company.name,
    description: [company.jurisdiction.toUpperCase(), company.code, company.status].join(', '),
    notable: [companyType],
  }))
}

/** Suggests the type of all companies, and the type of a jurisdiction whose code is the text. */
export function suggestTypes(prefix: string): EntityType[] {
  const jurisdiction = /^(?:company-?)?([a-z]{2}(?:-[a-z0-9]{1,3})?)$/.exec(prefix)?.[1]
  return [
    ...(companyType.id.startsWith(prefix) || companyType.name.toLowerCase().startsWith(prefix) ? [companyType] : []),
    ...(jurisdiction ? [typeOf(jurisdiction)] : []),
  ]
}
