import type { DatabasePool, Db } from '#sql/db.ts'
import * as checks from '#sql/identity/checks.ts'
import * as controls from '#sql/jobs/controls.ts'
import { findRequirement } from './catalogue.ts'
import { settle } from './settle.ts'

const dayMs = 24 * 60 * 60_000

/** Until when what is verified now holds, by the catalogue; null for good. */
export function expiryOf(requirement: string, now = Date.now()): Date | null {
  const days = findRequirement(requirement)?.valid_for_days ?? null
  return days === null ? null : new Date(now + days * dayMs)
}

/** What somebody who may has decided of a check. */
export type Decision =
  | { status: 'verified'; expiresAt?: Date | undefined }
  | { status: 'rejected'; code: string; reason: string }

const outcomeOf = (requirement: string, decision: Decision) =>
  decision.status === 'verified'
    ? { status: decision.status, expiresAt: decision.expiresAt ?? expiryOf(requirement) }
    : { status: decision.status, reason: { code: decision.code, text: decision.reason } }

/**
 * Records what an organisation's server or its verification provider reports; null when the provider has reported something
 * later already.
 */
export async function report(
  tx: Db,
  about: checks.CheckKey,
  decision: Decision,
  by: { method: 'api' } | { method: 'webhook'; at: Date },
): Promise<checks.Check | null> {
  const known = await checks.lock(tx, about)
  const at = by.method === 'webhook' ? by.at : undefined
  if (at && known.reported_at !== null && known.reported_at >= at) return null
  const outcome = { ...outcomeOf(about.requirement, decision), method: by.method, ...(at && { reportedAt: at }) }
  return await settle(tx, known.id, outcome)
}

/** What came of an operator's decision: one sentence for people. */
export interface DecisionResult {
  changed: boolean
  message: string
}

/**
 * Records an operator's decision of a check whose file they have seen; null when there is no such check. Nothing is decided of
 * a file that took its place since.
 */
export async function decide(
  db: DatabasePool,
  { checkId, objectId }: { checkId: string; objectId: string },
  decision: Decision,
  actor: string,
): Promise<DecisionResult | null> {
  return await db.transaction(async (tx) => {
    const found = await checks.findAny(tx, checkId)
    if (found === null) return null
    await checks.lock(tx, found)
    const now = (await checks.findAny(tx, checkId)) ?? found
    const why = refusalOf(now, objectId)
    if (why) return { changed: false, message: why }
    await settle(tx, now.id, { ...outcomeOf(now.requirement, decision), method: 'operator' })
    // Without the subject, who may be named by an address: what operators did is kept.
    const target = `${now.requirement} of check ${now.id}`
    const reason = decision.status === 'rejected' ? decision.reason : undefined
    await controls.note(tx, {
      actor,
      action: decision.status === 'verified' ? 'verify' : 'reject',
      target,
      count: 1,
      reason,
    })
    return { changed: true, message: `It is ${decision.status}.` }
  })
}

function refusalOf(check: checks.ScannedCheck, objectId: string): string | undefined {
  if (check.object_id !== objectId) return 'Another file was handed in since; look at that one.'
  if (check.status !== 'submitted') return `It is ${check.status} already.`
  return check.scan_status === 'clean' ? undefined : 'Its file did not pass the malware gate, or is deleted.'
}
