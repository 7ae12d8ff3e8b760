import { z } from 'zod'
import type { DatabasePool } from '#sql/db.ts'
import * as listings from '#sql/trust/listings.ts'
import { checkAll, type Judgement } from '#tasks/trust/rules/judge.ts'
import type { Readings } from '#tasks/trust/rules/read-url.ts'
import type { Confirm } from '#tasks/trust/rules/sources.ts'
import type { Services } from '../http/container.ts'
import { questions } from '../http/services.ts'
import { createConfirm } from './judgement.ts'
import { type FeedCache, feedCache } from './known/known.ts'

export const Policy = z.enum(['allow', 'deny']).nullable()

export type Policy = z.infer<typeof Policy>

export type UrlResult = Judgement & { policy: Policy }

export interface CheckTools {
  db: DatabasePool
  confirm: Confirm
  known: FeedCache
}

export const createCheckTools = (db: DatabasePool, services: Services): CheckTools => ({
  db,
  confirm: createConfirm(services(questions)),
  known: services(feedCache),
})

/**
 * Checks URLs. For each URL, also returns the organisation’s policy for every host that different clients can read in
 * it.
 */
export async function checkUrls(
  { db, confirm, known }: CheckTools,
  orgId: string,
  asked: readonly Readings[],
): Promise<UrlResult[]> {
  const now = known.now(orgId)
  const hosts = asked.map((readings) => [...new Set(readings.all.map(({ host }) => host))])
  const all = hosts.flat()
  const [judged, policies] = await Promise.all([
    checkAll({ db, confirm, unlisted: now?.unlisted }, asked),
    now?.policies ? listings.findNearestPolicies(now.policies, all) : listings.listNearestPolicies(db, orgId, all),
  ])
  let at = 0
  return judged.map((judgement, i) => {
    const own = policies.slice(at, at + (hosts[i]?.length ?? 0))
    at += own.length
    return { ...judgement, policy: combinePolicies(own) }
  })
}

/**
 * Combines the policies of several hosts. The result is `deny` if one host is denied, and `allow` if all hosts are
 * allowed.
 */
export function combinePolicies(policies: readonly Policy[]): Policy {
  if (policies.includes('deny')) return 'deny'
  return policies.every((policy) => policy === 'allow') ? 'allow' : null
}
