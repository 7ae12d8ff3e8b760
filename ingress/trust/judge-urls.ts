import { z } from 'zod'
import type { DatabasePool } from '#sql/db.ts'
import * as listings from '#sql/trust/listings.ts'
import { type Judgement, judgeAll } from '#tasks/trust/rules/judge.ts'
import type { Readings } from '#tasks/trust/rules/read-url.ts'
import type { Confirm } from '#tasks/trust/rules/sources.ts'
import type { Services } from '../http/container.ts'
import { questions } from '../http/services.ts'
import { confirmBy } from './judgement.ts'
import { type Known, known } from './known/known.ts'

export const Policy = z.enum(['allow', 'deny']).nullable()

export type Policy = z.infer<typeof Policy>

export type UrlJudgement = Judgement & { policy: Policy }

export interface CheckTools {
  db: DatabasePool
  confirm: Confirm
  known: Known
}

export const checkTools = (db: DatabasePool, services: Services): CheckTools => ({
  db,
  confirm: confirmBy(services(questions)),
  known: services(known),
})

/** Checks URLs and returns the organisation’s policy for each host that a URL can be read as. */
export async function judgeUrls(
  { db, confirm, known }: CheckTools,
  orgId: string,
  asked: readonly Readings[],
): Promise<UrlJudgement[]> {
  const now = known.now(orgId)
  const hosts = asked.map((readings) => [...new Set(readings.all.map(({ host }) => host))])
  const all = hosts.flat()
  const [judged, policies] = await Promise.all([
    judgeAll({ db, confirm, unlisted: now?.unlisted }, asked),
    now?.policies ? listings.nearestPolicies(now.policies, all) : listings.policiesOf(db, orgId, all),
  ])
  let at = 0
  return judged.map((judgement, i) => {
    const own = policies.slice(at, at + (hosts[i]?.length ?? 0))
    at += own.length
    return { ...judgement, policy: strictest(own) }
  })
}

/** Combines the policies of several hosts: `deny` if one is denied, `allow` only if all are allowed. */
export function strictest(policies: readonly Policy[]): Policy {
  if (policies.includes('deny')) return 'deny'
  return policies.every((policy) => policy === 'allow') ? 'allow' : null
}
