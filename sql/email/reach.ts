import type { FragmentSqlToken } from 'slonik'
import { sql } from '../db.ts'

export interface Reach {
  sandbox: boolean
  /** Undefined for all domains. */
  fromDomains: readonly string[] | undefined
}

export const allMail: Reach = { sandbox: false, fromDomains: undefined }

/** Returns an SQL condition for rows with the columns `sandbox` and `from_email`. */
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
