import type { Db } from '#sql/db.ts'
import type { Site, Tier } from '#sql/guard/sites.ts'

/** Who asks for a challenge, and for what. */
export interface Visitor {
  site: Site
  action: string
  /** The client's address, past trusted proxies. */
  ip: string
  /** The assessment that the client names, if any: another's, or one that is over, must count for nothing. */
  assessmentId: string | undefined
}

/** How hard the challenge must be; `deny` is the reason, in a sentence, why there is to be none. */
export interface Judgement {
  tier: Tier
  deny?: string
}

/** How hard a visitor's challenge is to be, within the site's policy; asked before each challenge is issued. */
export async function judge(_db: Db, { site }: Visitor): Promise<Judgement> {
  return { tier: site.policy.min_tier }
}

/** Notes that a visitor was issued a challenge of a tier; called after the statement that issued it. */
export async function noteIssue(_db: Db, _visitor: Visitor, _tier: Tier): Promise<void> {}

/** A challenge that was answered wrong. */
export interface Failure {
  siteId: string
  ip: string
}

/** Notes wrong answers, all in one statement, in the transaction that spends their challenges. */
export async function noteFailures(_tx: Db, _failures: readonly Failure[]): Promise<void> {}
