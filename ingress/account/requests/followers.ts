import { AsyncLocalStorage } from 'node:async_hooks'
import { forEachConcurrently } from '#lib/concurrency.ts'
import { describe, Problem, unavailable } from '#lib/errors.ts'
import { runEvery, type Timer } from '#lib/every.ts'
import { firstIdAt } from '#lib/ids.ts'
import { log } from '#lib/log.ts'
import * as requests from '#sql/account/usage/requests.ts'
import type { DatabasePool } from '#sql/db.ts'
import { service } from '../../http/container.ts'
import { type EventStream, formatEvent } from '../../http/event-stream.ts'
import { present, RequestEntry } from './entry.ts'

/** Sends new entries of the request log to streams. While an organisation has no stream, this costs nothing. */
export interface RequestFollowers {
  /**
   * Opens a stream after the request `after`. If it is undefined, the stream starts with new requests. Throws 429 if the
   * organisation has too many streams, and 503 if the process has too many.
   */
  join(owner: LogOwner, after: string | undefined, open: () => EventStream): void
  close(): Promise<void>
}

export interface LogOwner {
  orgId: string
  /** True for test keys, which see only requests of test keys. */
  testOnly: boolean
  matches(request: requests.Request): boolean
}

interface Follower extends LogOwner {
  stream: EventStream
  /** Requests that arrive while the stream sends older ones. `undefined` after that. */
  queue: requests.Request[] | undefined
  /** Recent requests that were sent while the queue existed. */
  sent: Set<string>
  last: string
}

interface Log {
  orgId: string
  testOnly: boolean
  followers: Set<Follower>
  /** Requests of the last `lookBackMs` that were read. `undefined` before the first read. */
  seen: Set<string> | undefined
  /** The first read. Only one runs, so that no request is read before a stream can receive it. */
  opening: Promise<void> | undefined
}

const [mostStreams, mostOfOrganisation] = [2_000, 20]

const [pollMs, logsAtOnce] = [1_000, 2]

/**
 * Period in milliseconds that each poll reads. Processes write entries about one second after the response, and an ID
 * has the time at which its request arrived. So requests that take longer than this are not sent.
 */
export const lookBackMs = 60_000

const [pageSize, mostQueued, mostPerPoll] = [200, 5_000, 2_000]

/** Number of polls after which idle streams get a new position. */
const pollsPerPosition = 30

export const requestFollowers = service<RequestFollowers>({
  name: 'account.request followers',
  open: ({ db }) => createRequestFollowers(db),
  close: (followers) => followers.close(),
})

const lookBackFrom = (at = Date.now()): string => firstIdAt(new Date(at - lookBackMs))

function createRequestFollowers(db: DatabasePool): RequestFollowers {
  const logs = new Map<string, Log>()
  // A read serves many requests, so it runs outside the log context of a single request.
  const outside = AsyncLocalStorage.snapshot()
  let count = 0
  let polls = 0
  let timer: Timer | undefined

  async function pollAll(): Promise<void> {
    polls += 1
    await forEachConcurrently(logs.values(), logsAtOnce, async (log) => {
      if (log.seen) await poll(log).catch(report)
      if (polls % pollsPerPosition === 0) for (const follower of log.followers) sendPosition(follower)
    })
  }

  async function poll(log: Log): Promise<void> {
    const from = lookBackFrom()
    const isFirst = log.seen === undefined
    const seen = new Set([...(log.seen ?? [])].filter((id) => id >= from))
    const page = { after: from, except: [...seen], testOnly: log.testOnly, limit: isFirst ? mostQueued : mostPerPoll }
    const found = await requests.listAfter(db, log.orgId, page)
    for (const { id } of found) seen.add(id)
    log.seen = seen
    for (const request of isFirst ? [] : found) for (const follower of log.followers) take(follower, request)
  }

  /** Sends requests after a position that were already logged, and then the requests that arrived in the meantime. */
  async function catchUp(follower: Follower, log: Log, after: string | undefined): Promise<void> {
    log.opening ??= poll(log)
    await log.opening
    if (after !== undefined) await sendLogged(follower, after)
    const waiting = follower.queue ?? []
    follower.queue = undefined
    for (const request of waiting) if (!follower.sent.has(request.id)) take(follower, request)
    follower.sent.clear()
  }

  async function sendLogged(follower: Follower, after: string): Promise<void> {
    const { orgId, testOnly, stream, sent } = follower
    let [position, more] = [after, true]
    while (more && !stream.ended) {
      const page = await requests.listAfter(db, orgId, { after: position, except: [], testOnly, limit: pageSize })
      const from = lookBackFrom()
      for (const request of page) {
        send(follower, request)
        if (request.id >= from) sent.add(request.id)
      }
      position = page.at(-1)?.id ?? position
      more = page.length === pageSize
      await stream.drained()
    }
  }

  function leave(follower: Follower, name: string, log: Log): void {
    count -= 1
    log.followers.delete(follower)
    if (log.followers.size > 0) return
    if (logs.get(name) === log) logs.delete(name)
    if (logs.size > 0) return
    void timer?.stop()
    timer = undefined
  }

  function follow(owner: LogOwner, stream: EventStream, after: string | undefined): void {
    const { orgId, testOnly } = owner
    const name = `${orgId} ${testOnly}`
    const log = logs.get(name) ?? { orgId, testOnly, followers: new Set(), seen: undefined, opening: undefined }
    logs.set(name, log)
    const follower: Follower = { ...owner, stream, queue: [], sent: new Set(), last: '' }
    count += 1
    log.followers.add(follower)
    stream.onEnd(() => leave(follower, name, log))
    timer ??= runEvery(pollMs, pollAll, report).unref()
    const failed = (error: Error) => {
      report(error)
      if (!log.seen) log.opening = undefined
      stream.end()
    }
    outside(() => void catchUp(follower, log, after).catch(failed))
  }

  function demandRoom({ orgId }: LogOwner): void {
    const ofOrganisation = [true, false].reduce(
      (sum, testOnly) => sum + (logs.get(`${orgId} ${testOnly}`)?.followers.size ?? 0),
      0,
    )
    if (ofOrganisation >= mostOfOrganisation) {
      const message = `The organisation has ${mostOfOrganisation} open streams of the request log. Close one first.`
      throw new Problem(429, 'rate_limited', message, { retryAfter: 30 })
    }
    if (count >= mostStreams) throw unavailable('Too many streams are open. Try again later.', 10)
  }

  return {
    join(owner, after, open) {
      demandRoom(owner)
      follow(owner, open(), after)
    },
    async close() {
      await timer?.stop()
    },
  }
}

const report = (error: Error): void => log.debug({ err: describe(error) }, 'could not follow the request log')

function take(follower: Follower, request: requests.Request): void {
  if (!follower.queue) send(follower, request)
  else if (follower.queue.push(request) > mostQueued) follower.stream.end()
}

function send(follower: Follower, request: requests.Request): void {
  if (!follower.matches(request)) return
  follower.stream.write(formatEvent('request', RequestEntry.parse(present(request)), request.id))
  if (request.id > follower.last) follower.last = request.id
}

/** Sends an ID without an event, so that a client with a narrow filter does not resume far in the past. */
function sendPosition(follower: Follower): void {
  const position = lookBackFrom()
  if (follower.queue || position <= follower.last) return
  follower.last = position
  follower.stream.write(`id: ${position}\n\n`)
}
