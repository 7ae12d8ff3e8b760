import type { FragmentSqlToken } from 'slonik'
import { sql } from '../db.ts'

/** The part of an organisation's mail that a key reads and changes. */
export interface Reach {
  /** Mail of test mode alone. */
  sandbox: boolean
  /** Mail from these domains alone; undefined for all. */
  fromDomains: readonly string[] | undefined
}

/** All mail of the organisation. */
export const allMail: Reach = { sandbox: false, fromDomains: undefined }

/** What rows with the columns `sandbox` and `from_email` fulfil that are within reach. */
export function within(alias: string, { sandbox, fromDomains }: Reach): FragmentSqlToken {
  const column = (name: string) => sql.identifier([alias, name])
  const ofMode = sandbox ? sql.fragment`${column('sandbox')}` : sql.fragment`true`
  if (!fromDomains) return ofMode
  const domains = sql.array(
    fromDomains.map((name) => name.toLowerCase()),
    'text',
  )
  return sql.fragment`${ofMode} and lower(substring(${column('from_email')} from '[^@]*$')) = any(${domains})`
}
