import { z } from 'zod'
import { Id } from '#lib/ids.ts'
import { secret } from '#lib/secret-fields.ts'
import { hashSecret } from '#lib/tokens.ts'
import type { Caller } from '#sql/account/keys.ts'
import * as rows from '#sql/guard/tokens.ts'
import { Instant } from '../http/instant.ts'
import { groupedRoute } from '../http/route.ts'
import { Action } from './fields.ts'
import * as metrics from './metrics.ts'

const Reason = z.enum(['unknown', 'action_mismatch', 'replayed', 'expired'])

type Verdict = 'valid' | z.infer<typeof Reason>

const Body = z.strictObject({
  token: secret(z.string().min(1).max(2_048)).describe('Token from the form'),
  action: Action,
  site_id: Id.optional().describe('Accepts only tokens of this site. If omitted, accepts tokens of all your sites.'),
  idempotency_key: z
    .string()
    .min(1)
    .max(255)
    .optional()
    .describe('A repeated request with this key returns the first result.'),
})

interface VerifyRequest extends Pick<Caller, 'org' | 'key'> {
  body: z.output<typeof Body>
}

/**
 * Returns the result for a token. Conditions are checked in order, so a token that is both used and expired is
 * `replayed`.
 */
function judge({ org, key, body }: VerifyRequest, token: rows.Facts | undefined, spent: ReadonlySet<string>): Verdict {
  const sites = [body.site_id, key.locks.site_id].filter((id) => id !== undefined)
  if (token?.org_id !== org.id || sites.some((id) => id !== token.site_id)) return 'unknown'
  if (token.action !== body.action) return 'action_mismatch'
  if (token.spent || spent.has(token.hash)) return 'replayed'
  return token.expired ? 'expired' : 'valid'
}

export const verify = groupedRoute({
  method: 'POST',
  path: '/tokens/verify',
  summary: 'Verify and use a token',
  description:
    'Returns `valid: true` exactly once. Otherwise `reason` explains why. `expired`: show the form again. `replayed`: the token was already used, so treat the request as an attack. `action_mismatch`: the token is for a different action and remains unused. `unknown`: the token does not exist.',
  scope: 'guard:verify',
  locks: ['site_id'],
  idempotent: { field: 'idempotency_key' },
  body: Body,
  status: 200,
  reply: z
    .object({
      valid: z.boolean(),
      reason: Reason.optional().describe('Reason why the token is not valid'),
      action: z.string().nullable().describe('Action of the token'),
      hostname: z
        .string()
        .nullable()
        .describe('Host of the web page that requested the token. `null` for a client outside a browser.'),
      issued_at: Instant.nullable(),
      solve_ms: z.int().nullable().describe('Time from the challenge to its answer, in milliseconds'),
      tier: rows.TokenTier.nullable().describe('Difficulty of the solved challenge'),
    })
    .meta({ id: 'guard.Verdict' }),
  example: {
    body: { token: '4fQmZ0VbJ8yJ2c7Xr5tKp1sNw6uLd9eHg3aTq8oRi0B', action: 'signup' },
    reply: {
      valid: true,
      action: 'signup',
      hostname: 'www.example.com',
      issued_at: '2026-01-01T12:00:01.000Z',
      solve_ms: 640,
      tier: 'normal',
    },
  },
  async commit(tx, calls) {
    const hashes = calls.map(({ body }) => hashSecret(body.token))
    const found = await rows.lockMany(tx, hashes)
    const spent = new Set<string>()
    const judged = calls.map((call, i) => {
      const token = found.get(hashes[i] ?? '')
      const verdict = judge(call, token, spent)
      if (verdict === 'valid') spent.add(hashes[i] ?? '')
      return { verdict, token: verdict === 'unknown' ? undefined : token }
    })
    await rows.markManyUsed(tx, [...spent])
    await rows.countReplays(
      tx,
      judged.flatMap(({ verdict, token }) => (token && verdict === 'replayed' ? [token.hash] : [])),
    )
    return judged.map(({ verdict, token }) => {
      metrics.verifiedTokens.inc({ result: verdict })
      return {
        ...(verdict === 'valid' ? { valid: true } : { valid: false, reason: verdict }),
        action: token?.action ?? null,
        hostname: token?.hostname ?? null,
        issued_at: token?.issued_at ?? null,
        solve_ms: token?.solve_ms ?? null,
        tier: token?.tier ?? null,
      }
    })
  },
})
