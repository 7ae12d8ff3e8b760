import type { Context } from 'koa'
import { type Fallbacks, findFallbacks } from '#lib/config/ai-fallbacks.ts'
import type { Api } from '#lib/config/ai-upstreams.ts'
import { conflict, type Problem, unauthorized, unavailable } from '#lib/errors.ts'
import { newId } from '#lib/ids.ts'
import * as rows from '#sql/ai/completions.ts'
import * as settings from '#sql/ai/settings.ts'
import type { DatabasePool, Db } from '#sql/db.ts'
import { complete } from '#tasks/ai/complete.ts'
import { completionTimeoutMs } from '#tasks/ai/rules/request.ts'
import { requireKeyUse } from '#tasks/ai/rules/require-key-use.ts'
import { requireTokens } from '#tasks/ai/rules/token-budget.ts'
import { cancel, enqueue } from '#tasks/queue/enqueue.ts'
import type { Services } from '../http/container.ts'
import { liveKeys } from '../http/live-keys.ts'
import { toProblem } from '../http/problems.ts'
import { signingSecret, stopping } from '../http/services.ts'
import { keepAnswer, type Lookup, lookUp, replay, type Served } from './cached-completion.ts'
import { mostCached } from './cached-replies.ts'
import { type CompletionFollowers, completionFollowers } from './completion-followers.ts'
import { openCompletionStream } from './completion-stream.ts'
import { answerTimedOut, gatewayProblem } from './gateway-problems.ts'

const waitMs = completionTimeoutMs + 30_000

export interface AcceptedCompletion {
  id: string
  run: string
  /** Undefined if the request was accepted by an earlier release. */
  cache?: Lookup
}

export interface AcceptedCall {
  body: { model: string; stream?: boolean | null | undefined; fallbacks?: Fallbacks | null | undefined }
  org: { id: string }
  key: { id: string }
  db: Db
  header(name: string): string | undefined
}

/** Stores a request in one of the APIs and adds its job, unless its response is cached. */
export async function acceptCompletion(
  { body, org, key, db, header }: AcceptedCall,
  api: Api,
  forwarded: Record<string, unknown>,
): Promise<AcceptedCompletion | Served> {
  const ofOrg = await settings.find(db, org.id)
  const fallbacks = body.fallbacks ?? findFallbacks(ofOrg?.fallbacks ?? {}, body.model) ?? null
  const about = { orgId: org.id, keyId: key.id, asked: body.model, kept: ofOrg?.cache_seconds ?? null }
  const cache = await lookUp(db, about, header('millrace-cache'), { ...forwarded, api, fallbacks })
  if (cache !== null && 'hit' in cache) return cache
  await requireTokens(db, org.id)
  await requireKeyUse(db, key.id, 'completion', body.model)
  const id = newId()
  const facts = { key_id: key.id, fallbacks, streamed: body.stream === true }
  await rows.insert(db, { id, org_id: org.id, api, request: JSON.stringify(forwarded), ...facts })
  const run = await enqueue(db, complete, { completionId: id }, { orgId: org.id, subject: id })
  return { id, run, cache }
}

/** Headers of responses that can come from the cache. */
export const cacheHeaders = {
  'millrace-cache': '`hit`: the response comes from the cache. `miss`: it will be cached. `bypass`: it is too long.',
  age: 'Seconds since the response was cached',
} as const

/** Ends of streams, which differ between the APIs. */
export interface StreamEnds {
  /** Sent after the last event of a complete answer. */
  end: string
  /** Event of a failure after the first event. `sent` is the number of events before it. */
  failure(problem: Problem, requestId: string, sent: number): string
}

export interface FollowedCall {
  body: { model: string; stream?: boolean | null | undefined }
  org: { id: string }
  key: { id: string }
  db: DatabasePool
  ctx: Context
  signal: AbortSignal
  header(name: string): string | undefined
  set(name: string, value: string): void
  services: Services
}

/** Returns the text of a complete answer, or sends the stream and returns `null`. */
export async function followCompletion(
  accepted: AcceptedCompletion | Served,
  api: Api,
  call: FollowedCall,
  ends: StreamEnds,
): Promise<string | null> {
  const { body, org, key, db, ctx, signal, set, header, services } = call
  const sealed = { db, secret: () => services(signingSecret), orgId: org.id, keyId: key.id }
  if ('hit' in accepted) {
    const { text, age } = await replay(sealed, accepted.hit)
    set('millrace-cache', 'hit')
    set('age', String(age))
    if (body.stream !== true) return text
    await using out = openCompletionStream(ctx)
    await out.write(`${text}${ends.end}`)
    return null
  }
  const { cache = null } = accepted
  if (cache !== null) set('millrace-cache', 'digest' in cache ? 'miss' : 'bypass')
  const followers = services(completionFollowers)
  const revoked = new AbortController()
  const forget = services(liveKeys).follow(key.id, () => revoked.abort(unauthorized('The API key was revoked.')))
  const about = { db, orgId: org.id, id: accepted.id, signal, revoked: revoked.signal, followers }
  const following: Following = { ...about, ended: false, answered: null }
  const keep = async (text: string) => {
    const models = [body.model, following.answered ?? body.model]
    const facts = { completionId: accepted.id, maxAge: waitMs / 1000, models, isStreamed: body.stream === true }
    await keepAnswer(sealed, cache, { api, ...facts }, text)
  }
  const isKept = header('idempotency-key') !== undefined
  try {
    if (body.stream !== true) {
      const text = await readWholeAnswer(following)
      await keep(text)
      return text
    }
    await stream(following, ctx, services(stopping), ends, cache === null ? undefined : keep)
    return null
  } finally {
    forget()
    // Stops an answer that no client can fetch, or whose key is revoked, because tokens cost money.
    const isLeft = !isKept || (revoked.signal.aborted && !following.ended)
    if (isLeft && !following.ended) await cancel(db, accepted.run)
    if (isLeft) await rows.remove(db, accepted.id)
  }
}

interface Following {
  db: DatabasePool
  orgId: string
  id: string
  signal: AbortSignal
  revoked: AbortSignal
  followers: CompletionFollowers
  ended: boolean
  /** Requested model or fallback that responded. `null` until the end. */
  answered: string | null
}

async function* readPieces(following: Following, stopped?: AbortSignal): AsyncGenerator<string> {
  const { db, orgId, id, signal, revoked, followers } = following
  using follower = followers.follow(id)
  const over = AbortSignal.any([signal, revoked, AbortSignal.timeout(waitMs), ...(stopped ? [stopped] : [])])
  for (let n = 0; ; ) {
    revoked.throwIfAborted()
    const news = await rows.readNews(db, id, n)
    if (!news || !hasNoGap(news, n))
      throw conflict('The response to this request was already returned and is no longer stored.')
    if (news.status !== 'pending') following.ended = true
    following.answered = news.answered
    yield* news.pieces
    n += news.pieces.length
    if (news.pieces.length === rows.mostPieces) continue
    if (news.error) throw await gatewayProblem(db, orgId, news.error)
    if (news.status === 'done') return
    if (over.aborted) throw getAbortReason(signal, revoked, stopped)
    await follower.news(over)
  }
}

/**
 * True if no part is missing after the first `n`. After a crash, Postgres empties the unlogged table of parts, but
 * keeps the completion.
 */
const hasNoGap = ({ status, pieces, first }: rows.News, n: number): boolean =>
  pieces.length > 0 ? first === n + 1 : n > 0 || status !== 'done'

function getAbortReason(gone: AbortSignal, revoked: AbortSignal, stopped: AbortSignal | undefined): unknown {
  if (gone.aborted) return gone.reason
  if (revoked.aborted) return revoked.reason
  return stopped?.aborted ? unavailable('The service is restarting. Send the request again.') : answerTimedOut()
}

async function readWholeAnswer(following: Following): Promise<string> {
  let text = ''
  for await (const piece of readPieces(following)) text += piece
  return text
}

const countEvents = (text: string): number => text.split('\n\n').length - 1

/**
 * Sends an answer as it arrives. If it fails before the first part, the response has the status of the failure. `keep`
 * caches the text of a complete answer before the stream ends, so that the next request finds it.
 */
async function stream(
  following: Following,
  ctx: Context,
  stopped: AbortSignal,
  ends: StreamEnds,
  keep: ((text: string) => Promise<void>) | undefined,
): Promise<void> {
  const coming = readPieces(following, stopped)
  const first = await coming.next()
  await using out = openCompletionStream(ctx)
  let sent = 0
  let whole: string | undefined = keep && ''
  const write = async (text: string) => {
    sent += countEvents(text)
    whole = whole === undefined || whole.length + text.length > mostCached ? undefined : whole + text
    await out.write(text)
  }
  try {
    if (!first.done) await write(first.value)
    for await (const piece of coming) {
      await write(piece)
      if (following.signal.aborted) return
    }
    if (whole !== undefined) await keep?.(whole)
    if (ends.end !== '') await out.write(ends.end)
  } catch (error) {
    if (following.signal.aborted) return
    await out.write(ends.failure(toProblem(error), ctx.state.requestId, sent))
  }
}
