import type { ScannedCheck } from '#sql/identity/checks.ts'
import { findRequirement, type Product } from '#tasks/identity/rules/catalogue.ts'
import { getRequirementStatus, isVerifiedForNow } from '#tasks/identity/rules/standing.ts'

export interface Assessment {
  ready: boolean
  satisfied: string[]
  currently_due: string[]
  /** Requirements that depend on others, expire soon, or are optional. */
  eventually_due: string[]
  past_due: string[]
  pending_verification: string[]
  errors: { requirement: string; code: string; reason: string }[]
  next: string | undefined
}

export function assessChecks(product: Product, checks: readonly ScannedCheck[], now = Date.now()): Assessment {
  const byKey = new Map(checks.map((check) => [check.requirement, check]))
  const standing = (key: string) => getRequirementStatus(byKey.get(key), now)
  const isUnderWay = (key: string) => ['verified', 'processing'].includes(standing(key).status)
  const canBegin = (key: string) => (findRequirement(key)?.depends_on ?? []).every(isUnderWay)

  const asked = product.requirements.map(({ key, required }) => {
    const { status, error } = standing(key)
    const check = byKey.get(key)
    const endsSoon = status === 'verified' && required && check !== undefined && !isVerifiedForNow(check, now)
    const isOpen = status === 'missing' || status === 'rejected'
    return { key, required, status, error, endsSoon, isOpen, isDue: isOpen && required && canBegin(key) }
  })
  const keys = (of: (one: (typeof asked)[number]) => boolean) => asked.filter(of).map(({ key }) => key)

  const ready = asked.every(({ required, status }) => !required || status === 'verified')
  const past_due = keys(({ status }) => status === 'expired')
  const currently_due = keys(({ isDue }) => isDue)
  const eventually_due = keys(({ isDue, isOpen, endsSoon }) => endsSoon || (isOpen && !isDue))
  const required = keys((one) => one.required)
  return {
    ready,
    satisfied: keys(({ status }) => status === 'verified'),
    currently_due,
    eventually_due,
    past_due,
    pending_verification: keys(({ status }) => status === 'processing'),
    errors: asked.flatMap(({ key, error }) => (error ? [{ requirement: key, ...error }] : [])),
    // If the subject is ready, the only next step is to renew an expiring check.
    next: [...past_due, ...currently_due, ...eventually_due].find(
      (key) => canBegin(key) && (!ready || required.includes(key)),
    ),
  }
}
