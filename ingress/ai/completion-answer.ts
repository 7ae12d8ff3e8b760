import type { Context } from 'koa'
import type { Api } from '#lib/config/ai-upstreams.ts'
import { conflict, type Problem, unauthorized, unavailable } from '#lib/errors.ts'
import { newId } from '#lib/ids.ts'
import * as rows from '#sql/ai/completions.ts'
import type { DatabasePool, Db } from '#sql/db.ts'
import { complete } from '#tasks/ai/complete.ts'
import { completionTimeoutMs } from '#tasks/ai/rules/request.ts'
import { requireTokens } from '#tasks/ai/rules/token-budget.ts'
import { cancel, enqueue } from '#tasks/queue/enqueue.ts'
import type { Services } from '../http/container.ts'
import { liveKeys } from '../http/live-keys.ts'
import { toProblem } from '../http/problems.ts'
import { stopping } from '../http/services.ts'
import { type CompletionFollowers, completionFollowers } from './completion-followers.ts'
import { openCompletionStream } from './completion-stream.ts'
import { answerTimedOut, gatewayProblem } from './gateway-problems.ts'

const waitMs = completionTimeoutMs + 30_000

export interface AcceptedCompletion {
  id: string
  run: string
}

/** Stores a request in one of the APIs and adds its job. */
export async function acceptCompletion(
  db: Db,
  orgId: string,
  api: Api,
  forwarded: Record<string, unknown>,
  streamed: boolean,
): Promise<AcceptedCompletion> {
  await requireTokens(db, orgId)
  const id = newId()
  await rows.insert(db, { id, org_id: orgId, api, request: JSON.stringify(forwarded), streamed })
  return { id, run: await enqueue(db, complete, { completionId: id }, { orgId, subject: id }) }
}

/** Ends of streams, which differ between the APIs. */
export interface StreamEnds {
  /** Sent after the last event of a complete answer. */
  end: string
  /** Event of a failure after the first event. `sent` is the number of events before it. */
  failure(problem: Problem, requestId: string, sent: number): string
}

export interface FollowedCall {
  body: { stream?: boolean | null | undefined }
  org: { id: string }
  key: { id: string }
  db: DatabasePool
  ctx: Context
  signal: AbortSignal
  header(name: string): string | undefined
  services: Services
}

/** Returns the text of a complete answer, or sends the stream and returns `null`. */
export async function followCompletion(
  accepted: AcceptedCompletion,
  { body, org, key, db, ctx, signal, header, services }: FollowedCall,
  ends: StreamEnds,
): Promise<string | null> {
  const followers = services(completionFollowers)
  const revoked = new AbortController()
  const forget = services(liveKeys).follow(key.id, () => revoked.abort(unauthorized('The API key was revoked.')))
  const about = { db, orgId: org.id, id: accepted.id, signal, revoked: revoked.signal, followers }
  const following: Following = { ...about, ended: false }
  const isKept = header('idempotency-key') !== undefined
  try {
    if (body.stream !== true) return await readWholeAnswer(following)
    await stream(following, ctx, services(stopping), ends)
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

const countEvents = (text: string): number => text.split('\n\n').length - 1

/** Sends an answer as it arrives. If it fails before the first part, the response has the status of the failure. */
async function stream(following: Following, ctx: Context, stopped: AbortSignal, ends: StreamEnds): Promise<void> {
  const coming = readPieces(following, stopped)
  const first = await coming.next()
  await using out = openCompletionStream(ctx)
  let sent = 0
  const write = async (text: string) => {
    sent += countEvents(text)
    await out.write(text)
  }
  try {
    if (!first.done) await write(first.value)
    for await (const piece of coming) {
      await write(piece)
      if (following.signal.aborted) return
    }
    if (ends.end !== '') await out.write(ends.end)
  } catch (error) {
    if (following.signal.aborted) return
    await out.write(ends.failure(toProblem(error), ctx.state.requestId, sent))
  }
}
