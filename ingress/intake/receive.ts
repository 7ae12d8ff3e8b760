import type { Context } from 'koa'
import { LRUCache } from 'lru-cache'
import { z } from 'zod'
import { notFound } from '#lib/errors.ts'
import { newId } from '#lib/ids.ts'
import { toStorableText } from '#lib/outside-text.ts'
import type { Seal } from '#lib/seal.ts'
import { hashSecret } from '#lib/tokens.ts'
import type { DatabasePool } from '#sql/db.ts'
import * as sources from '#sql/intake/sources.ts'
import { readEventFacts, readPath } from '#tasks/intake/rules/event-facts.ts'
import { matchesFilter } from '#tasks/intake/rules/filter.ts'
import { getScheme } from '#tasks/intake/rules/schemes.ts'
import { reasons, type Verdict, verifySignature } from '#tasks/intake/rules/signature.ts'
import { createSourceSeal, listValidSecrets } from '#tasks/intake/rules/source-secrets.ts'
import { createAllowance } from '../http/limits/allowances.ts'
import { createQueueLimiter } from '../http/limits/at-once.ts'
import { getClientNetwork } from '../http/limits/buckets.ts'
import { problem } from '../http/problem-kinds.ts'
import { readSigned } from '../http/request/body.ts'
import { route } from '../http/route.ts'
import { signingSecret } from '../http/services.ts'
import { keepHeaders, readBytes, readHeaders } from './body.ts'
import { groupsOf } from './groups.ts'
import { reservePlace } from './late.ts'
import { receivedRequests } from './metrics.ts'

/** Limits of one source in one process: requests, requests with an invalid signature that are stored, and bytes. */
const requestsOfSource = createAllowance(60_000, 'webhooks of one source')
const bytesOfSource = createAllowance(512 * 1024 * 1024, 'bytes of webhooks of one source')
const rejectedPerMinute = 60
const rejectedOfSource = createAllowance(rejectedPerMinute, 'webhooks of one source with an invalid signature')

/** A slow sender holds a place of its source, and never a connection of the database. */
const takePlace = createQueueLimiter({ ofOne: 100, inLine: 1_000, waitMs: 5_000 })

/** An organisation can have 100 sources, whose bodies together would use too much memory. */
const takePlaceOfOrg = createQueueLimiter({ ofOne: 200, inLine: 2_000, waitMs: 5_000 })

/** Limits requests with unknown URLs of one network in one process. Known URLs work meanwhile. */
const unknownOfNetwork = createAllowance(120, 'requests of your network with an unknown URL')
const knownTokens = new LRUCache<string, true>({ max: 10_000 })

const bounds = { values: 100_000, elements: 50_000 }

const signatureInvalid = problem(401, 'signature_invalid', 'The signature is missing or wrong, or its time is too old.')
const tooSlow = problem(408, 'request_timeout', 'The body took too long.')

const token = /^[0-9A-Za-z_]{43,60}$/

export const receive = route({
  method: 'POST',
  path: '/in/{token}',
  summary: 'Receive a webhook of a provider',
  public: true,
  ignoresOtherQuery: true,
  hidden: true,
  limit: false,
  status: 200,
  raw: true,
  params: z.object({ token: z.string().max(200) }),
  problems: ['bad_request', signatureInvalid, 'payload_too_large', 'not_found', 'rate_limited', tooSlow],
  async handle({ params, db, ctx, ip, services }) {
    const seal = sealOf(services(signingSecret))
    const source = await findSource(db, params.token, ip)
    requestsOfSource.spend(source.id, 1)
    using _place = await takePlace(source.id)
    using _placeOfOrg = await takePlaceOfOrg(source.org_id)
    const body = await readBytes(ctx)
    bytesOfSource.spend(source.id, body.length)
    const headers = readHeaders(ctx.req.headers)
    const verdict = verifySignature(getScheme(source), { headers, body }, listValidSecrets(seal, source))
    const groups = groupsOf(db, () => seal)
    const base = baseOf(source, { headers: keepHeaders(ctx.req.headers), body, verdict })
    if (!verdict.valid) {
      receivedRequests.inc({ provider: source.provider, outcome: 'rejected' })
      if (isAllowed(source.id))
        await groups.reject({ ...base, ...noEvent, verified: false, reason: verdict.reason, status: 'rejected' })
      throw signatureInvalid(reasons[verdict.reason])
    }
    const json = parse(body)
    if (answerChallenge(ctx, source, json)) return
    const event = readEventFacts(source, { headers, json })
    const isWanted = matchesFilter(source, event.type, json)
    const facts = { event_id: event.id, event_type: event.type, dedupe_key: source.dedupe ? event.id : null }
    using place = await reservePlace(source, { db, services })
    const id = await groups.receive({ ...base, ...facts, isWanted, isLate: place.isLate })
    receivedRequests.inc({ provider: source.provider, outcome: 'accepted' })
    answer(ctx, source, id)
  },
})

const noEvent = { event_id: null, event_type: null, dedupe_key: null }

let opened: { secret: string; seal: Seal } | undefined

/** Deriving the key costs more than the rest of a small request. */
function sealOf(secret: string): Seal {
  if (opened?.secret !== secret) opened = { secret, seal: createSourceSeal(secret) }
  return opened.seal
}

async function findSource(db: DatabasePool, given: string, ip: string): Promise<sources.Source> {
  if (!token.test(given)) throw notFound('source')
  const hash = hashSecret(given)
  const network = getClientNetwork(ip)
  if (!knownTokens.has(hash)) unknownOfNetwork.spend(network, 0)
  const source = await sources.findByToken(db, hash)
  if (!source) {
    knownTokens.delete(hash)
    unknownOfNetwork.spend(network, 1)
    receivedRequests.inc({ provider: 'unknown', outcome: 'unknown' })
    throw notFound('source')
  }
  knownTokens.set(hash, true)
  return source
}

function isAllowed(sourceId: string): boolean {
  try {
    rejectedOfSource.spend(sourceId, 1)
    return true
  } catch {
    return false
  }
}

interface Given {
  headers: Record<string, string>
  body: Buffer
  verdict: Verdict
}

const baseOf = (source: sources.Source, { headers, body, verdict }: Given) => ({
  id: newId(),
  org_id: source.org_id,
  source_id: source.id,
  headers: Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, toStorableText(value)])),
  content_type: headers['content-type']?.slice(0, 200) ?? null,
  size: body.length,
  body,
  signed_at: verdict.signedAt,
})

/** Returns the JSON of a body, or undefined if the body is not JSON. */
function parse(body: Buffer): unknown {
  try {
    return readSigned(body, bounds)
  } catch {
    return undefined
  }
}

/** Answers Slack's check of the URL. Returns false if the request is not this check. */
function answerChallenge(ctx: Context, { provider }: sources.Source, json: unknown): boolean {
  if (provider !== 'slack' || readPath(json, 'type') !== 'url_verification') return false
  const challenge = readPath(json, 'challenge')
  if (typeof challenge !== 'string') return false
  ctx.type = 'text/plain'
  ctx.body = challenge.slice(0, 1_000)
  return true
}

function answer(ctx: Context, { response }: sources.Source, id: string): void {
  if (!response) {
    ctx.body = { id }
    return
  }
  ctx.body = response.body === '' ? null : response.body
  ctx.status = response.status
  if (response.body !== '') ctx.type = response.content_type
}
