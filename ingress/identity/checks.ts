import { z } from 'zod'
import { badRequest } from '#lib/errors.ts'
import { InstantInput } from '#lib/input-types.ts'
import type { DatabasePool } from '#sql/db.ts'
import * as rows from '#sql/identity/checks.ts'
import { findRequirement } from '#tasks/identity/rules/catalogue.ts'
import { type Decision, report } from '#tasks/identity/rules/decide.ts'
import { mustFind } from '../http/must-find.ts'
import { route } from '../http/route.ts'
import { Check, present } from './status.ts'
import { idp_sub, toStoredSubject } from './subject.ts'

export const Report = z.strictObject({
  idp_sub,
  requirement: z
    .string()
    .refine((key) => findRequirement(key) !== undefined, 'must be a requirement in the catalogue')
    .describe('Requirement key'),
  status: z.enum(['verified', 'rejected']),
  code: z
    .string()
    .regex(/^[a-z0-9_]{1,64}$/, 'must be a snake_case identifier')
    .optional()
    .describe('Reason for the rejection, for use in code'),
  reason: z.string().min(1).max(500).optional().describe('Reason for the rejection, for the person'),
  expires_at: InstantInput.transform((text) => new Date(text))
    .refine((at) => at.getTime() > Date.now(), 'must be in the future')
    .optional()
    .describe('Expiry of the verification. Default: set by the catalogue.'),
})

/** Converts a report to a decision. Throws 400 for fields that cannot be combined. */
export function toDecision({ status, code, reason, expires_at }: z.output<typeof Report>): Decision {
  if (status === 'verified') {
    const strange = Object.entries({ code, reason }).filter(([, value]) => value !== undefined)
    if (strange.length > 0)
      throw badRequest(
        strange.map(([name]) => ({ field: `body.${name}`, issue: 'cannot be used if `status` is `verified`' })),
      )
    return { status, expiresAt: expires_at }
  }
  if (expires_at) throw badRequest([{ field: 'body.expires_at', issue: 'cannot be used if `status` is `rejected`' }])
  return { status, code: code ?? 'rejected', reason: reason ?? 'The check was rejected.' }
}

export async function presentStored(db: DatabasePool, { id }: { id: string }) {
  return present(await mustFind(rows.findAny(db, id), 'check'))
}

export const record = route({
  method: 'POST',
  path: '/checks',
  summary: 'Record the result of a check',
  description: 'For servers with their own verification. Recording the same result again has no effect.',
  scope: 'identity:verify',
  beyondContract: true,
  body: Report,
  status: 200,
  reply: Check,
  problems: ['not_found'],
  example: { body: { idp_sub: 'auth0|5f7c8ec7', requirement: 'identity.address', status: 'verified' } },
  async handle({ body, org, db }) {
    const about = { org_id: org.id, subject: toStoredSubject(body.idp_sub), requirement: body.requirement }
    const decision = toDecision(body)
    const check = await db.transaction((tx) => report(tx, about, decision, { method: 'api' }))
    return await presentStored(db, await mustFind(Promise.resolve(check), 'check'))
  },
})
