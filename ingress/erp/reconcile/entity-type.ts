/** Type of all companies, and prefix of the types of one jurisdiction, such as `company-ee`. */
const all = 'company'

export interface EntityType {
  id: string
  name: string
}

export const companyType: EntityType = { id: all, name: 'Company' }

export const typeOf = (jurisdiction: string): EntityType => ({
  id: `${all}-${jurisdiction}`,
  name: `Company in ${jurisdiction.toUpperCase()}`,
})

/** Returns the jurisdiction of a type. Undefined for all companies. `null` if the type does not exist. */
export function readType(id: string): string | undefined | null {
  if (id === all) return undefined
  const jurisdiction = /^company-([a-z]{2}(?:-[a-z0-9]{1,3})?)$/.exec(id)?.[1]
  return jurisdiction ?? null
}

/** Returns the ID of a company in the reconciliation service. */
export const entityId = ({ jurisdiction, code }: { jurisdiction: string; code: string }): string =>
  `${jurisdiction}:${code}`

/** Returns the jurisdiction and code of an ID. `null` if it has another form. */
export function readEntityId(id: string): { jurisdiction: string; code: string } | null {
  const at = id.indexOf(':')
  const [jurisdiction, code] = [id.slice(0, at), id.slice(at + 1)]
  return at > 0 && code !== '' && code.length <= 60 ? { jurisdiction, code } : null
}
