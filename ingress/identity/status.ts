import { z } from 'zod'
import * as rows from '#sql/identity/checks.ts'
import { catalogue, type Product } from '#tasks/identity/rules/catalogue.ts'
import { getRequirementStatus } from '#tasks/identity/rules/standing.ts'
import { Instant } from '../http/instant.ts'
import { route } from '../http/route.ts'
import { assessChecks } from './assess.ts'
import { demandProduct, idp_sub, product, toApiSubject, toStoredSubject } from './subject.ts'

export const Check = z
  .object({
    requirement: z.string(),
    status: z.enum(['processing', 'verified', 'rejected', 'expired']),
    method: rows.Check.shape.method.nullable(),
    reason: z.object({ code: z.string(), reason: z.string() }).nullable(),
    verified_at: Instant.nullable(),
    expires_at: Instant.nullable(),
    updated_at: Instant,
  })
  .meta({ id: 'identity.Check' })

export function present(check: rows.ScannedCheck): z.input<typeof Check> {
  const { status, error = null } = getRequirementStatus(check)
  const { requirement, method, verified_at, expires_at, updated_at } = check
  // If there is a row but no status, something was submitted.
  const shownStatus = status === 'missing' ? 'processing' : status
  return { requirement, status: shownStatus, method, reason: error, verified_at, expires_at, updated_at }
}

const Status = z.enum(['unverified', 'requires_input', 'processing', 'verified', 'rejected', 'expired'])

export const read = route({
  method: 'GET',
  path: '/status',
  summary: 'Read the verification status of a subject',
  description: 'Returns the checks that the person has passed and the resulting level for the product.',
  scope: 'identity:read',
  query: z.object({ product, idp_sub }),
  status: 200,
  reply: z.object({
    product: z.string(),
    subject: z.string().nullable().describe('`null` for the organisation itself'),
    status: Status.describe('Status for the requirements of the product'),
    level: z.int().describe('Highest level of the products for which the subject is ready. 0 if there is none.'),
    checks: z.array(Check),
    updated_at: Instant.nullable(),
  }),
  async handle({ query, org, db }) {
    const wanted = demandProduct(query.product)
    const subject = toStoredSubject(query.idp_sub)
    const checks = await rows.list(db, org.id, subject)
    const ready = catalogue().products.filter((one) => assessChecks(one, checks).ready)
    const times = checks.map(({ updated_at }) => updated_at.getTime())
    return {
      product: wanted.product,
      subject: toApiSubject(subject),
      status: statusOf(wanted, checks),
      level: Math.max(0, ...ready.map(({ level }) => level)),
      checks: checks.map(present),
      updated_at: times.length === 0 ? null : new Date(Math.max(...times)),
    }
  },
})

function statusOf(product: Product, checks: readonly rows.ScannedCheck[]): z.infer<typeof Status> {
  const { ready, errors, past_due, currently_due, pending_verification } = assessChecks(product, checks)
  if (ready) return 'verified'
  if (checks.length === 0) return 'unverified'
  if (errors.length > 0) return 'rejected'
  if (past_due.length > 0) return 'expired'
  return pending_verification.length > 0 && currently_due.length === 0 ? 'processing' : 'requires_input'
}
