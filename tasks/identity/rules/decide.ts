import { append } from '#sql/account/audit.ts'
import type { DatabasePool, Db } from '#sql/db.ts'
import * as checks from '#sql/identity/checks.ts'
import * as controls from '#sql/jobs/controls.ts'
import { type Doer, toAct } from '../../account/rules/doer.ts'
import { findRequirement } from './catalogue.ts'
import { settle } from './settle.ts'

const dayMs = 24 * 60 * 60_000

export function expiryOf(requirement: string, now = Date.now()): Date | null {
  const days = findRequirement(requirement)?.valid_for_days ?? null
  return days === null ? null : new Date(now + days * dayMs)
}

export type Decision =
  | { status: 'verified'; expiresAt?: Date | undefined }
  | { status: 'rejected'; code: string; reason: string }

const outcomeOf = (requirement: string, decision: Decision) =>
  decision.status === 'verified'
    ? { status: decision.status, expiresAt: decision.expiresAt ?? expiryOf(requirement) }
    : { status: decision.status, reason: { code: decision.code, text: decision.reason } }

/**
 * Records a report by the organisation’s server or the verification provider. Returns `null` if the provider has
 * already sent a later report.
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
  if (by.method === 'api' && saysTheSame(known, outcome)) return known
  return await settle(tx, known.id, outcome)
}

/** True if the check already has this result, so that a repeated report changes nothing. */
function saysTheSame(known: checks.Check, { status, method, expiresAt, reason }: checks.Outcome): boolean {
  if (known.status !== status || known.method !== method) return false
  if (status === 'rejected') return known.reason_code === reason?.code && known.reason === reason?.text
  const [before, after] = [known.expires_at?.getTime() ?? null, expiresAt?.getTime() ?? null]
  if (before === null || after === null) return before === after
  // A repeated report extends the expiry by the time since the first one. Only an extension of a day or more counts as
  // a new decision.
  return Math.abs(after - before) < dayMs
}

export interface DecisionResult {
  changed: boolean
  message: string
}

interface SeenCheck {
  checkId: string
  objectId: string
}

/**
 * Records an operator’s decision about a file that the operator has viewed. Returns `null` if the check does not exist.
 * Decides nothing if another file has replaced the file. `note` records the actor in the same transaction.
 */
async function decideBySight(
  db: DatabasePool,
  { checkId, objectId }: SeenCheck,
  decision: Decision,
  by: { method: 'operator' | 'api'; orgId?: string; note(tx: Db, check: checks.Check): Promise<void> },
): Promise<DecisionResult | null> {
  return await db.transaction(async (tx) => {
    const found = await checks.findAny(tx, checkId)
    if (found === null || (by.orgId !== undefined && found.org_id !== by.orgId)) return null
    await checks.lock(tx, found)
    const now = (await checks.findAny(tx, checkId)) ?? found
    const why = refusalOf(now, objectId)
    if (why) return { changed: false, message: why }
    await settle(tx, now.id, { ...outcomeOf(now.requirement, decision), method: by.method })
    await by.note(tx, now)
    return { changed: true, message: `The check is ${decision.status}.` }
  })
}

export async function decideAsMember(
  db: DatabasePool,
  seen: SeenCheck,
  decision: Decision,
  doer: Doer,
): Promise<DecisionResult | null> {
  return await decideBySight(db, seen, decision, {
    method: 'api',
    orgId: doer.orgId,
    async note(tx, { id, requirement }) {
      const after = { requirement, status: decision.status }
      await append(tx, { ...toAct(doer), action: `identity_check.${decision.status}`, target: id, after })
    },
  })
}

export async function decide(
  db: DatabasePool,
  seen: SeenCheck,
  decision: Decision,
  actor: string,
): Promise<DecisionResult | null> {
  const note = async (tx: Db, now: checks.Check) => {
    // The subject is omitted, because it can be an email address and actions of operators are kept.
    const target = `${now.requirement} of check ${now.id}`
    const reason = decision.status === 'rejected' ? decision.reason : undefined
    await controls.recordAction(tx, {
      actor,
      action: decision.status === 'verified' ? 'verify' : 'reject',
      target,
      count: 1,
      reason,
    })
  }
  return await decideBySight(db, seen, decision, { method: 'operator', note })
}

function refusalOf(check: checks.ScannedCheck, objectId: string): string | undefined {
  if (check.object_id !== objectId) return 'A newer file was submitted. Check the newer file.'
  if (check.status !== 'submitted') return `The check is already ${check.status}.`
  return check.scan_status === 'clean' ? undefined : 'The file did not pass the malware scan, or was deleted.'
}
