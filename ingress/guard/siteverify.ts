import { z } from 'zod'
import { secret } from '#lib/secret-fields.ts'
import { hashSecret, looksLikeKey } from '#lib/tokens.ts'
import * as keys from '#sql/account/keys.ts'
import type { DatabasePool, Db } from '#sql/db.ts'
import * as tokens from '#sql/guard/tokens.ts'
import { requireAllowedNetwork } from '../http/auth.ts'
import { service } from '../http/container.ts'
import { Instant } from '../http/instant.ts'
import { KeyUses } from '../http/key-uses.ts'
import { formFields } from '../http/pages/form-fields.ts'
import { route } from '../http/route.ts'
import * as metrics from './metrics.ts'

/** Records when the secrets were last used, because the route is public. */
export const secretUses = service<KeyUses>({
  name: 'uses of site secrets',
  open: ({ db }) => new KeyUses(db),
  close: (uses) => uses.flush(),
})

const Code = z.enum([
  'missing-input-secret',
  'invalid-input-secret',
  'missing-input-response',
  'invalid-input-response',
  'timeout-or-duplicate',
])

type Code = z.infer<typeof Code>

const mostBytes = 16 * 1024

/** Longest secret and longest token. A longer one is invalid, because plugins expect the status 200. */
const [longestSecret, longestToken] = [300, 2_048]

/** Score of a token by the difficulty of its challenge, in the form of reCAPTCHA v3. */
const scores = { low: 0.9, normal: 0.9, high: 0.7, extreme: 0.5, noscript: 0.5 } as const

export const verify = route({
  method: 'POST',
  path: '/siteverify',
  summary: 'Verify a token as reCAPTCHA does',
  description:
    'For plugins of reCAPTCHA, Turnstile and hCaptcha. Accepts a form or JSON with `secret` and `response`. `secret` is the secret of a site, or an API key with the scope `guard:verify`. The response always has the status 200. A token is valid once. `remoteip` and fields of other providers have no effect.',
  public: true,
  beyondContract: true,
  repeatable: true,
  limit: { perMinute: 3_000, by: 'ip' },
  bodyLimit: mostBytes,
  alsoTakes: { 'application/x-www-form-urlencoded': formFields },
  body: z
    .looseObject({
      secret: secret(z.string().max(mostBytes)).default('').describe('Secret of the site'),
      response: secret(z.string().max(mostBytes)).default('').describe('Token from the form'),
      remoteip: z.string().max(mostBytes).nullish(),
    })
    .default({ secret: '', response: '' }),
  status: 200,
  reply: z
    .object({
      success: z.boolean(),
      challenge_ts: Instant.optional().describe('Time at which the challenge was solved'),
      hostname: z.string().optional().describe('Host of the web page that requested the token'),
      action: z.string().optional(),
      score: z.number().optional().describe('0.5 to 0.9: lower after a more difficult challenge'),
      'error-codes': z.array(Code),
    })
    .meta({ id: 'guard.Siteverify' }),
  example: {
    body: { secret: 'bt_live_…', response: '4fQmZ0VbJ8yJ2c7Xr5tKp1sNw6uLd9eHg3aTq8oRi0B' },
    reply: {
      success: true,
      challenge_ts: '2026-01-01T12:00:01.000Z',
      hostname: 'www.example.com',
      action: 'submit',
      score: 0.9,
      'error-codes': [],
    },
  },
  async handle({ body, db, ip, services }) {
    const refuse = (...codes: Code[]) => ({ success: false, 'error-codes': codes })
    if (body.secret === '' || body.response === '')
      return refuse(
        ...(body.secret === '' ? (['missing-input-secret'] as const) : []),
        ...(body.response === '' ? (['missing-input-response'] as const) : []),
      )
    const caller = body.secret.length <= longestSecret ? await findCaller(db, body.secret, ip) : null
    if (!caller) return refuse('invalid-input-secret')
    if (body.response.length > longestToken) return refuse('invalid-input-response')
    services(secretUses).note(caller.key.secret_id)
    const { code, token } = await spend(db, caller, body.response)
    if (code || !token) return refuse(code ?? 'invalid-input-response')
    return {
      ...{ success: true, challenge_ts: token.issued_at, action: token.action, score: scores[token.tier] },
      ...(token.hostname !== null && { hostname: token.hostname }),
      'error-codes': [],
    }
  },
})

/** Returns the caller of a secret. Null if the secret cannot verify tokens now. */
async function findCaller(db: DatabasePool, text: string, ip: string): Promise<keys.Caller | null> {
  if (!looksLikeKey(text)) return null
  const caller = await keys.findCaller(db, hashSecret(text))
  if (!caller || caller.org.closing || caller.org.moving || keys.isExpired(caller)) return null
  const { scopes, mode, locks } = caller.key
  const otherLock = Object.keys(locks).find((name) => name !== 'site_id')
  if (!scopes.includes('guard:verify') || mode === 'test' || otherLock !== undefined) return null
  try {
    requireAllowedNetwork(caller, ip)
  } catch {
    return null
  }
  return caller
}

/** Uses a token. A used or expired token is `timeout-or-duplicate`. A valid token needs one query. */
async function spend(
  db: DatabasePool,
  { org, key }: keys.Caller,
  text: string,
): Promise<{ code?: Code; token?: tokens.Facts }> {
  const hash = hashSecret(text)
  const place = { orgId: org.id, siteId: key.locks.site_id }
  const token = await tokens.spend(db, hash, place)
  if (!token) return { code: await db.transaction((tx) => explain(tx, hash, place)) }
  metrics.verifiedTokens.inc({ result: 'valid' })
  return { token }
}

/** Returns why a token cannot be used, and counts replays. */
async function explain(tx: Db, hash: string, { orgId, siteId }: { orgId: string; siteId: string | undefined }) {
  const token = (await tokens.lockMany(tx, [hash])).get(hash)
  const isForeign = token?.org_id !== orgId || (siteId !== undefined && token.site_id !== siteId)
  const result = isForeign || !token ? 'unknown' : token.spent ? 'replayed' : 'expired'
  metrics.verifiedTokens.inc({ result })
  if (result === 'unknown') return 'invalid-input-response'
  if (result === 'replayed') await tokens.countReplays(tx, [hash])
  return 'timeout-or-duplicate'
}
