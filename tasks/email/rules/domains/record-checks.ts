import type { Db } from '#sql/db.ts'
import type { Check } from '#sql/email/domains.ts'
import * as domains from '#sql/email/domains.ts'
import { emit } from '../../../webhooks/rules/emit.ts'
import { domainData } from '../event-data.ts'
import type { Checks } from './check-records.ts'
import { getKeyRecordKind, listRecords, type RecordKind } from './records.ts'
import { claimTrackingHost, takenHost } from './tracking-host.ts'

/** Number of consecutive checks with a wrong record after which a verified domain fails. */
const maxFailedPasses = 3

/**
 * Stores the checks of a domain and updates its status. The domain is verified when all required records are found, and
 * fails only after several hourly checks. Returns the row. Null if it was deleted or verified by an operator.
 */
export async function recordChecks(
  tx: Db,
  domainId: string,
  checks: Checks,
  { hourly }: { hourly: boolean },
): Promise<domains.EmailDomain | null> {
  const before = await domains.lock(tx, domainId)
  if (!before || before.verified_by === 'operator') return null
  const keys = await domains.listKeys(tx, [domainId])
  const { status, failed, amiss } = judge(before, requiredOf(before, keys), checks, hourly)
  const found = await withTrackingHost(tx, { ...before, status }, checks)
  const after = await domains.saveChecks(tx, domainId, { status, checks: found, failed_passes: failed, hourly })
  for (const key of keys) {
    const isPublished = publishedAfter(key, checks, status)
    if (isPublished !== key.published) await domains.setPublished(tx, key.id, isPublished)
  }
  if (status !== before.status) {
    const data = domainData(before, status)
    if (status === 'verified') await emit(tx, before.org_id, 'email.domain.verified', data)
    else await emit(tx, before.org_id, 'email.domain.failed', { ...data, amiss })
  }
  return after
}

/** Assigns the host of links of a verified domain. A host that another organisation has counts as different. */
async function withTrackingHost(tx: Db, domain: domains.EmailDomain, checks: Checks): Promise<Checks> {
  if (domain.status !== 'verified' || checks.tracking_host?.state !== 'found') return checks
  return (await claimTrackingHost(tx, domain)) ? checks : { ...checks, tracking_host: takenHost }
}

/** Stores the check of the host of links only. For a domain that an operator has verified. */
export async function recordTrackingCheck(tx: Db, domainId: string, check: Check): Promise<void> {
  const before = await domains.lock(tx, domainId)
  if (!before) return
  const { tracking_host: found } = await withTrackingHost(tx, before, { tracking_host: check })
  await domains.saveTrackingCheck(tx, domainId, found ?? check)
}

const requiredOf = (domain: domains.EmailDomain, keys: readonly domains.DkimKey[]) =>
  listRecords(domain, keys).flatMap(({ kind, required }) => (required ? [kind] : []))

function judge(before: domains.EmailDomain, required: readonly RecordKind[], checks: Checks, hourly: boolean) {
  const stateOf = (kind: RecordKind) => checks[kind]?.state
  const amiss = required.filter((kind) => stateOf(kind) === 'missing' || stateOf(kind) === 'different')
  if (required.every((kind) => stateOf(kind) === 'found')) return { status: 'verified' as const, failed: 0, amiss }
  const failed = before.failed_passes + (hourly && amiss.length > 0 ? 1 : 0)
  const falls = before.status === 'verified' && failed >= maxFailedPasses
  return { status: falls ? ('failed' as const) : before.status, failed, amiss }
}

/** A verified domain keeps its RSA key until it fails, because nothing could be sent without it. */
function publishedAfter(key: domains.DkimKey, checks: Checks, status: domains.EmailDomain['status']): boolean {
  const state = checks[getKeyRecordKind(key)]?.state
  if (state === 'found') return true
  if (state === undefined || state === 'unknown') return key.published
  return key.published && key.algorithm === 'rsa-sha256' && status === 'verified'
}
