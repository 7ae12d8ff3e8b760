import { valueAt } from '../read-json.ts'
import type { Row } from '../row.ts'

/** Status letters of the Estonian register: registered, in liquidation, bankrupt, deleted. */
const statuses = { R: 'active', L: 'in_liquidation', N: 'bankrupt', K: 'dissolved' } as const

export const sharedProperties = {
  licence: 'Open data of the Estonian e-Business Register (RIK)',
  recordUrl: 'https://ariregister.rik.ee/eng/company/{code}',
  records: [],
}

export const statusOf = (letter: string) =>
  Object.entries(statuses).find(([one]) => one === letter.toUpperCase())?.[1] ?? 'unknown'

/** Returns the entries of a list in a record, with their values as strings. Skips entries that are not objects. */
export function readList(row: Row, path: string): readonly ((name: string) => string)[] {
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
