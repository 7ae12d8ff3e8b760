import { valueAt } from '../read-json.ts'
import type { Row } from '../row.ts'

/** The Estonian register's letters: registered, in liquidation, bankrupt, deleted. */
const statuses = { R: 'active', L: 'in_liquidation', N: 'bankrupt', K: 'dissolved' } as const

/** What is told of each entry in the Estonian register's JSON. */
export const about = {
  licence: 'Open data of the Estonian e-Business Register (RIK)',
  recordUrl: 'https://ariregister.rik.ee/eng/company/{code}',
  records: [],
}

/** The register's status of a company, in our words. */
export const statusOf = (letter: string) =>
  Object.entries(statuses).find(([one]) => one === letter.toUpperCase())?.[1] ?? 'unknown'

/** The entries of a list in a record, each as the texts of its values; entries that are no objects are passed over. */
export function listAt(row: Row, path: string): readonly ((name: string) => string)[] {
  const list = valueAt(row.json, path)
  if (!Array.isArray(list)) return []
  return list
    .filter((one) => typeof one === 'object' && one !== null)
    .map((one: unknown) => (name: string) => {
      const value = valueAt(one, name)
      return typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean'
        ? String(value).trim()
        : ''
    })
}
