import { AsyncLocalStorage } from 'node:async_hooks'
import { describe, Problem, unavailable } from '#lib/errors.ts'
import { log } from '#lib/log.ts'
import type { DatabasePool } from '#sql/db.ts'
import { type Listener, listen } from '#sql/listen.ts'
import type * as streams from '#sql/push/streams.ts'
import { getSessionUrl } from '#sql/session-url.ts'
import { streamChannel } from '#tasks/push/rules/stream-channel.ts'
import { service } from '../http/container.ts'
import { type EventStream, formatEvent } from '../http/event-stream.ts'
import { signingSecret } from '../http/services.ts'
import { createPositionFinder } from './streams/positions.ts'
import { createEventReader } from './streams/reads.ts'

/** Sends new messages to the streams of installations. New messages are read for many streams at the same time. */
export interface MessageStreams {
  /**
   * Opens a stream after the event `after`. If it is undefined, the stream starts with messages that have no receipt.
   * `open` returns undefined if the client has disconnected. `join` returns false if the installation cannot have a
   * stream. Throws 429 if the installation has too many streams, and 503 if the process has too many.
   */
  join(opening: streams.StreamOpening, open: () => EventStream | undefined): Promise<boolean>
  close(): Promise<void>
}

interface Follower extends streams.StreamReader {
  stream: EventStream
  /** Number of the user’s last event when the stream was opened. */
  lastEvent: number
}

/** Maximum number of streams of one process, and of one installation in this process. */
const [mostStreams, mostOfInstallation] = [20_000, 20]

/** Maximum number of streams that are read in one statement. */
const atOnce = 2_000

const retryMs = 1_000

/**
 * Polling interval of all streams in milliseconds. Polling is required because an installation can be invalidated
 * without a notification.
 */
const recheckMs = 60_000

export const messageStreams = service<MessageStreams>({
  name: 'push.message streams',
  open: ({ db, services }) => createMessageStreams(db, () => services(signingSecret)),
  close: (streams) => streams.close(),
})

function createMessageStreams(db: DatabasePool, secret: () => string): MessageStreams {
  const all = new Map<string, Set<Follower>>()
  const stale = new Set<Follower>()
  const read = createEventReader(db, secret)
  const findPosition = createPositionFinder(db)
  // A read serves many requests, so it runs outside the log context of a single request.
  const outside = AsyncLocalStorage.snapshot()
  let listener: Listener | undefined
  let recheck: NodeJS.Timeout | undefined
  let reading = false
  let count = 0

  function wake(followers: Iterable<Follower>): void {
    for (const follower of followers) stale.add(follower)
    if (reading || stale.size === 0) return
    reading = true
    // The notifications of one commit arrive one after the other. This delay lets one read handle all of them.
    setImmediate(() => outside(() => void readAll()))
  }

  const wakeAll = () => {
    for (const followers of all.values()) wake(followers)
  }

  async function readAll(): Promise<void> {
    try {
      while (stale.size > 0) await readSome()
      reading = false
    } catch (error) {
      log.debug({ err: describe(error) }, 'could not read event streams')
      setTimeout(() => outside(() => void readAll()), retryMs).unref()
    }
  }

  async function readSome(): Promise<void> {
    const taken = [...stale].slice(0, atOnce)
    if (taken.length === stale.size) stale.clear()
    else for (const follower of taken) stale.delete(follower)
    try {
      const { gone, written } = await read(taken)
      for (const n of gone) taken[n]?.stream.end()
      for (const [n, follower] of taken.entries()) deliver(follower, written[n])
    } catch (error) {
      for (const follower of taken) stale.add(follower)
      throw error
    }
  }

  /** Opens the listener with the first stream. When it starts listening, earlier events are read. */
  function startListening(): void {
    if (listener) return
    listener = listen(getSessionUrl(db), [streamChannel])
    listener.on(streamChannel, (payload) => {
      for (const id of JSON.parse(payload) as string[]) wake(all.get(id) ?? [])
    })
    listener.onConnect(wakeAll)
    recheck = setInterval(wakeAll, recheckMs).unref()
  }

  function leave(follower: Follower): void {
    count--
    stale.delete(follower)
    const followers = all.get(follower.installationId)
    followers?.delete(follower)
    if (followers?.size === 0) all.delete(follower.installationId)
  }

  function demandRoom(installationId: string): void {
    if ((all.get(installationId)?.size ?? 0) >= mostOfInstallation) {
      throw new Problem(429, 'rate_limited', 'The installation has too many open streams.', { retryAfter: 30 })
    }
    if (count >= mostStreams) throw unavailable('Too many streams are open. Try again later.', 10)
  }

  function follow(
    stream: EventStream,
    { installationId, after }: streams.StreamOpening,
    position: streams.StreamPosition,
  ): void {
    const { push_user_id: pushUserId, last_event: lastEvent, resumes } = position
    // A client that cannot resume starts again like a new client.
    if (after !== undefined && !resumes) stream.write(formatEvent('reset', {}, lastEvent))
    const follower = { installationId, pushUserId, after: resumes ? after : undefined, stream, lastEvent }
    count++
    all.set(installationId, (all.get(installationId) ?? new Set()).add(follower))
    stream.onEnd(() => leave(follower))
    if (!stream.ended) wake([follower])
  }

  return {
    async join(opening, open) {
      demandRoom(opening.installationId)
      startListening()
      const position = await findPosition(opening)
      const stream = position && open()
      if (stream) follow(stream, opening, position)
      return position !== undefined
    },
    async close() {
      clearInterval(recheck)
      await listener?.close()
    },
  }
}

function deliver(follower: Follower, written: { text: string; upTo: number } | undefined): void {
  follower.after = Math.max(follower.after ?? follower.lastEvent, written?.upTo ?? 0)
  if (written) follower.stream.write(written.text)
}
