import { createHash } from 'node:crypto'
import { getNetwork } from '#lib/network/network.ts'
import type { Db } from '#sql/db.ts'
import * as counters from '#sql/verify/counters.ts'
import type { Settings } from '#sql/verify/settings.ts'
import { countedName } from './recipients.ts'

export interface Code {
  orgId: string
  recipient: string
  /** ISO 3166 code. Null for an email. */
  country: string | null
  /** IP address of the person. Null if it is unknown. */
  ip: string | null
}

const networkName = (ip: string): string =>
  createHash('sha256')
    .update(getNetwork(ip, ip.includes(':') ? 64 : 24))
    .digest('hex')
    .slice(0, 32)

const getCountryBudget = (country: string, { country_budgets, country_budget }: Settings): number =>
  country_budgets[country] ?? country_budget

/** Counts a code against all limits of the settings. Returns the exceeded limits. Then the caller rolls back. */
export async function countCode(tx: Db, { orgId, recipient, country, ip }: Code, settings: Settings) {
  return await counters.add(tx, orgId, [
    { kind: 'organisation', name: '', per: 'hour', most: settings.per_hour },
    { kind: 'recipient', name: countedName(recipient), per: 'hour', most: settings.per_recipient },
    ...(ip === null
      ? []
      : [{ kind: 'network' as const, name: networkName(ip), per: 'hour' as const, most: settings.per_network }]),
    ...(country === null
      ? []
      : [{ kind: 'country' as const, name: country, per: 'day' as const, most: getCountryBudget(country, settings) }]),
  ])
}
