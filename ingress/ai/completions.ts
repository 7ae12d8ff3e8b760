import type { Context } from 'koa'
import { findFallbacks } from '#lib/config/ai-fallbacks.ts'
import { conflict, unauthorized, unavailable } from '#lib/errors.ts'
import { newId } from '#lib/ids.ts'
import * as rows from '#sql/ai/completions.ts'
import * as settings from '#sql/ai/settings.ts'
import type { DatabasePool } from '#sql/db.ts'
import { complete } from '#tasks/ai/complete.ts'
import { completionTimeoutMs } from '#tasks/ai/rules/request.ts'
import { requireKeyUse } from '#tasks/ai/rules/require-key-use.ts'
import { requireTokens } from '#tasks/ai/rules/token-budget.ts'
import { cancel, enqueue } from '#tasks/queue/enqueue.ts'
import { liveKeys } from '../http/live-keys.ts'
import { toProblem } from '../http/problems.ts'
import { followedRoute } from '../http/route.ts'
import { signingSecret, stopping } from '../http/services.ts'
import { keepAnswer, type Lookup, lookUp, replay, type Served } from './cached-completion.ts'
import { mostCached } from './cached-replies.ts'
import { buildForwardedBody, CompletionBody, CompletionReply } from './completion-fields.ts'
import { type CompletionFollowers, completionFollowers } from './completion-followers.ts'
import { openCompletionStream } from './completion-stream.ts'
import { answerTimedOut, gatewayProblem, gatewayProblems } from './gateway-problems.ts'
import { openAiErrorBody } from './openai-problem.ts'

const waitMs = completionTimeoutMs + 30_000

interface Accepted {
  id: string
  run: string
  /** Undefined if the request was accepted by an earlier release. */
  cache?: Lookup
}

export const create = followedRoute({
  method: 'POST',
  path: '/chat/completions',
  beyondContract: true,
  summary: 'Create a chat completion (OpenAI format)',
  description:
    'Works with OpenAI’s SDK if its base URL is `/v1/ai`. Millrace forwards the request to the first upstream server that has the model and responds. Errors contain OpenAI’s fields (`message`, `type`, `param`, `code`) in addition to Millrace’s fields. They use OpenAI’s codes where one exists: `invalid_api_key`, `rate_limit_exceeded`, `insufficient_quota`, `context_length_exceeded`. With `stream: true`, the response is a stream of server-sent events. If the stream is interrupted, the last event contains an `error`. The request header `Millrace-Cache` (seconds) caches the response for exact repeats. The embedded engine has no model and returns `503`.',
  scope: 'ai:invoke',
  idempotent: true,
  enqueues: complete,
  streams: true,
  headers: {
    'millrace-cache': '`hit`: the response comes from the cache. `miss`: it will be cached. `bypass`: it is too long.',
    age: 'Seconds since the response was cached',
  },
  body: CompletionBody,
  status: 200,
  reply: CompletionReply,
  problemBody: openAiErrorBody,
  problems: ['conflict', ...gatewayProblems],
  example: {
    body: { model: 'default', messages: [{ role: 'user', content: 'Name a bird.' }] },
  },
  async handle({ body, org, key, db, header }): Promise<Accepted | Served> {
    const [forwarded, ofOrg] = [buildForwardedBody(body), await settings.find(db, org.id)]
    const fallbacks = body.fallbacks ?? findFallbacks(ofOrg?.fallbacks ?? {}, body.model) ?? null
    const about = { orgId: org.id, keyId: key.id, asked: body.model, kept: ofOrg?.cache_seconds ?? null }
    const cache = await lookUp(db, about, header('millrace-cache'), { ...forwarded, fallbacks })
    if (cache !== null && 'hit' in cache) return cache
    await requireTokens(db, org.id)
    await requireKeyUse(db, key.id, 'completion', body.model)
    const id = newId()
    const request = JSON.stringify(forwarded)
    const facts = { key_id: key.id, fallbacks, streamed: body.stream === true }
    await rows.insert(db, { id, org_id: org.id, request, ...facts })
    return { id, run: await enqueue(db, complete, { completionId: id }, { orgId: org.id, subject: id }), cache }
  },
  async follow(accepted, { body, org, key, db, ctx, signal, set, header, services }) {
    const sealed = { db, secret: () => services(signingSecret), orgId: org.id, keyId: key.id }
    if ('hit' in accepted) {
      const { text, age } = await replay(sealed, accepted.hit)
      set('millrace-cache', 'hit')
      set('age', String(age))
      if (body.stream !== true) return CompletionReply.parse(JSON.parse(text))
      await using out = openCompletionStream(ctx)
      await out.write(`${text}data: [DONE]\n\n`)
      return undefined
    }
    const { cache = null } = accepted
    if (cache !== null) set('millrace-cache', 'digest' in cache ? 'miss' : 'bypass')
    const keep = (text: string) => keepAnswer(sealed, cache, body, text)
    const followers = services(completionFollowers)
    const revoked = new AbortController()
    const forget = services(liveKeys).follow(key.id, () => revoked.abort(unauthorized('The API key was revoked.')))
    const about = { db, orgId: org.id, id: accepted.id, signal, revoked: revoked.signal, followers }
    const following: Following = { ...about, ended: false }
    const isKept = header('idempotency-key') !== undefined
    try {
      if (body.stream !== true) {
        const text = await readWholeAnswer(following)
        await keep(text)
        return CompletionReply.parse(JSON.parse(text))
      }
      const text = await stream(following, ctx, services(stopping), cache !== null)
      if (text !== undefined) await keep(text)
      return undefined
    } finally {
      forget()
      // Stops an answer that no client can fetch, or whose key is revoked, because tokens cost money.
      const isLeft = !isKept || (revoked.signal.aborted && !following.ended)
      if (isLeft && !following.ended) await cancel(db, accepted.run)
      if (isLeft) await rows.remove(db, accepted.id)
    }
  },
})

interface Following {
  db: DatabasePool
  orgId: string
  id: string
  signal: AbortSignal
  revoked: AbortSignal
  followers: CompletionFollowers
  ended: boolean
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
    yield* news.pieces
    n += news.pieces.length
    if (news.pieces.length === rows.mostPieces) continue
    if (news.error) throw await gatewayProblem(db, orgId, news.error)
    if (news.status === 'done') return
    if (over.aborted) throw getAbortReason(signal, stopped)
    await follower.news(over)
  }
}

/**
 * True if no part is missing after the first `n`. After a crash, Postgres empties the unlogged table of parts, but
 * keeps the completion.
 */
const hasNoGap = ({ status, pieces, first }: rows.News, n: number): boolean =>
  pieces.length > 0 ? first === n + 1 : n > 0 || status !== 'done'

function getAbortReason(gone: AbortSignal, stopped: AbortSignal | undefined): unknown {
  if (gone.aborted) return gone.reason
  return stopped?.aborted ? unavailable('The service is restarting. Send the request again.') : answerTimedOut()
}

async function readWholeAnswer(following: Following): Promise<string> {
  let text = ''
  for await (const piece of readPieces(following)) text += piece
  return text
}

/**
 * Sends an answer as it arrives. If it fails before the first part, the response has the status of the failure. Returns
 * the text of a complete answer if it is to be cached and is short enough.
 */
async function stream(
  following: Following,
  ctx: Context,
  stopped: AbortSignal,
  isCached: boolean,
): Promise<string | undefined> {
  const coming = readPieces(following, stopped)
  const first = await coming.next()
  await using out = openCompletionStream(ctx)
  let text: string | undefined = isCached ? '' : undefined
  const send = async (piece: string) => {
    text = text === undefined || text.length + piece.length > mostCached ? undefined : text + piece
    await out.write(piece)
  }
  try {
    if (!first.done) await send(first.value)
    for await (const piece of coming) {
      await send(piece)
      if (following.signal.aborted) return undefined
    }
    await out.write('data: [DONE]\n\n')
    return text
  } catch (error) {
    if (following.signal.aborted) return undefined
    await out.write(`data: ${JSON.stringify(openAiErrorBody(toProblem(error), ctx.state.requestId))}\n\n`)
    return undefined
  }
}
