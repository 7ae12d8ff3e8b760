import type { Db } from '#sql/db.ts'
import * as assessments from '#sql/guard/assessments.ts'
import type { Site, Tier } from '#sql/guard/sites.ts'
import * as visitors from '#sql/guard/visitors.ts'
import type { Services } from '../http/container.ts'
import { addressListings } from './address-listings.ts'
import { getSubjects, visitorCounter } from './visitor-notes.ts'
import { type AssessmentResult, type AttemptFacts, assess } from './weights.ts'

export interface Visitor {
  site: Site
  action: string
  /** IP address of the client in front of the trusted proxies. */
  ip: string
  /** Assessment that the client names. It must be ignored if it has expired or belongs to another visitor. */
  assessmentId: string | undefined
}

export interface TierDecision {
  tier: Tier
  deny?: string
}

type Signals = assessments.Signals | undefined

export async function assessAttempt(
  db: Db,
  services: Services,
  { site, ip }: Pick<Visitor, 'site' | 'ip'>,
  signals: Signals,
): Promise<AssessmentResult> {
  const subjects = getSubjects(site.id, ip)
  const [counted, listed] = await Promise.all([
    visitors.readCounts(db, site.id, subjects),
    services(addressListings).find(site.org_id, ip),
  ])
  const notes = services(visitorCounter)
  const traffic: AttemptFacts['traffic'] = {}
  for (const subject of subjects) {
    const { requests = 0, failures = 0, usual = 0 } = counted.find(({ kind }) => kind === subject.kind) ?? {}
    traffic[subject.kind] = { requests: requests + notes.pending(subject), failures, usual }
  }
  return assess({ traffic, signals, listed }, site.policy)
}

/** Returns the subject of the IP address. It shows whether an assessment belongs to the same visitor. */
export const getAddressSubject = (siteId: string, ip: string): string => getSubjects(siteId, ip)[0]?.subject ?? ''

/** Returns the tier for a visitor, within the site’s policy. Called before each challenge is created. */
export async function decideTier(db: Db, services: Services, visitor: Visitor): Promise<TierDecision> {
  const { site, action, ip, assessmentId: id } = visitor
  const wanted = id && { id, siteId: site.id, action, subject: getAddressSubject(site.id, ip) }
  const kept = wanted ? await assessments.findFor(db, wanted) : null
  const { decision, tier, reasons } = await assessAttempt(db, services, visitor, kept?.signals)
  if (decision === 'deny' || kept?.decision === 'deny') {
    return { tier: site.policy.max_tier, deny: `The attempt is denied. ${reasons[0]?.detail ?? ''}`.trim() }
  }
  return { tier: tier ?? site.policy.max_tier }
}

export interface WrongAnswer {
  siteId: string
  ip: string
}

/** Records wrong answers in one statement. Runs in the transaction that marks their challenges as used. */
export async function recordFailures(tx: Db, failures: readonly WrongAnswer[]): Promise<void> {
  const notes = failures.flatMap(({ siteId, ip }) => getSubjects(siteId, ip).filter(({ kind }) => kind !== 'site'))
  await visitors.addCounts(
    tx,
    notes.map((subject) => ({ ...subject, requests: 0, failures: 1 })),
  )
}
