import { randomBytes } from 'node:crypto'
import { z } from 'zod'
import { forbidden, unavailable } from '#lib/errors.ts'
import { Id, newId } from '#lib/ids.ts'
import * as rows from '#sql/guard/challenges.ts'
import { Tier } from '#sql/guard/sites.ts'
import { scryptForm } from '#tasks/guard/engine.ts'
import { Instant } from '../http/instant.ts'
import { problem } from '../http/problem-kinds.ts'
import { route } from '../http/route.ts'
import { Action } from './fields.ts'
import { decideTier } from './judge.ts'
import { getSite } from './known-sites.ts'
import * as metrics from './metrics.ts'
import { stockWatch } from './stock-watch.ts'
import { getClientBinding } from './visitor.ts'
import { visitorCounter } from './visitor-notes.ts'
import { Bytes, counterCount, presentPuzzles, tierBits, tierRanges } from './work.ts'

/** Time to live of a challenge in seconds. The hardest challenge takes a slow phone only a fraction of this time. */
const challengeSeconds = 300

/**
 * Delay in seconds after which a client retries if the stock was empty. A worker creates eight puzzles in an eighth of
 * a second.
 */
const mintSeconds = 2

const denied = problem(403, 'denied', 'The visitor is denied. Another challenge does not change this.')

const facts = {
  id: Id,
  tier: Tier.describe('Difficulty'),
  action: z.string(),
  issued_at: Instant,
  expires_at: Instant.describe('Time until which the challenge accepts an answer'),
}

const ScryptChallenge = z
  .object({
    ...facts,
    alg: z.literal('scrypt'),
    n: z.literal(scryptForm.n),
    r: z.literal(scryptForm.r),
    p: z.literal(scryptForm.p),
    key_length: z.literal(scryptForm.keyLength),
    nonce: Bytes.describe('Salt'),
    puzzles: z.array(
      z.object({
        check: Bytes.describe('First bytes of the output'),
        base: z.int().describe('First number to try'),
      }),
    ),
    range: z.int().describe('Number of values to try, from `base` on, modulo 2^32'),
  })
  .meta({ id: 'guard.ScryptChallenge' })

const Sha256Challenge = z
  .object({
    ...facts,
    alg: z.literal('sha256'),
    nonce: Bytes,
    count: z.int().describe('Number of counters to find'),
    bits: z.int().describe('Number of zero bits at the start of each hash'),
  })
  .meta({ id: 'guard.Sha256Challenge' })

function present(row: rows.IssuedChallenge): z.input<typeof ScryptChallenge> | z.input<typeof Sha256Challenge> {
  const { id, tier, action, issued_at, expires_at, nonce } = row
  const same = { id, tier, action, issued_at, expires_at, nonce }
  if (row.checks === null || row.ks === null)
    return { ...same, alg: 'sha256', count: counterCount, bits: row.bits ?? 0 }
  const [{ n, r, p, keyLength }, range] = [scryptForm, tierRanges[tier]]
  const puzzles = presentPuzzles({ checks: row.checks, ks: row.ks }, range)
  return { ...same, alg: 'scrypt', n, r, p, key_length: keyLength, puzzles, range }
}

export const create = route({
  method: 'POST',
  path: '/challenges',
  repeatable: true,
  summary: 'Issue a challenge',
  description:
    'With `scrypt`: for puzzle i, find k among the `range` numbers from `base` on (modulo 2^32). The first 4 bytes of scrypt(password = u16be(i) ‖ u32be(k), salt = nonce) must be `check`. The answer is the SHA-256 of the other bytes of all outputs, in order. If no puzzle is in stock, the request returns `503`. If the policy of the site has `sha256: true`, `sha256` is used if it is requested or if no puzzle is in stock. With `sha256`: for i from 0, find a u32 counter c so that SHA-256(nonce ‖ u16be(i) ‖ u32be(c)) begins with `bits` zero bits. The answer is all counters, four bytes each, big-endian. Bytes are base64url without padding.',
  scope: 'guard:challenge',
  locks: ['site_id'],
  site: true,
  body: z.strictObject({
    action: Action,
    assessment_id: Id.optional().describe('ID of the assessment before this challenge'),
    alg: rows.Alg.optional().describe(
      '`sha256` for a client without scrypt. It takes longer. The policy of the site must have `sha256: true`.',
    ),
  }),
  status: 201,
  reply: z.union([ScryptChallenge, Sha256Challenge]),
  problems: ['forbidden', denied],
  example: {
    body: { action: 'signup' },
    reply: {
      id: '0198f1c2-7f00-7000-8000-000000000051',
      tier: 'normal',
      action: 'signup',
      issued_at: '2026-01-01T12:00:00.000Z',
      expires_at: '2026-01-01T12:05:00.000Z',
      alg: 'scrypt',
      n: 1024,
      r: 8,
      p: 1,
      key_length: 32,
      nonce: 'lZ6mYpbLr0Y4u1xkTnqRZg',
      puzzles: [{ check: 'q83vEg', base: 2_882_400_018 }],
      range: 64,
    },
  },
  async handle(call) {
    const { body, db, ip, services } = call
    const site = await getSite(call)
    if (body.alg === 'sha256' && !site.policy.sha256)
      throw forbidden('This site accepts only scrypt. To accept SHA-256, set `sha256: true` in its policy.')
    const visitor = { site, action: body.action, ip, assessmentId: body.assessment_id }
    const { tier, deny } = await decideTier(db, services, visitor)
    if (deny !== undefined) throw denied(deny)
    const wanted = {
      id: newId(),
      org_id: site.org_id,
      site_id: site.id,
      action: body.action,
      tier,
      bits: tierBits[tier],
    }
    const scrypt = body.alg !== 'sha256'
    const row = await rows.issueChallenge(db, {
      ...wanted,
      ...getClientBinding(call),
      assessment_id: body.assessment_id ?? null,
      scrypt,
      sha256: site.policy.sha256,
      nonce: randomBytes(16).toString('base64url'),
      seconds: challengeSeconds,
    })
    if (scrypt) services(stockWatch).taken(row?.alg === 'scrypt')
    if (!row)
      throw unavailable(
        'This site accepts only scrypt, and no scrypt challenge is available. Try again soon.',
        mintSeconds,
      )
    metrics.issuedChallenges.inc({ alg: row.alg, tier })
    services(visitorCounter).add(site.id, ip)
    return present(row)
  },
})
