import { AsyncLocalStorage } from 'node:async_hooks'
import { forEachConcurrently } from '#lib/concurrency.ts'
import { describe, Problem, unavailable } from '#lib/errors.ts'
import { runEvery, type Timer } from '#lib/every.ts'
import { log } from '#lib/log.ts'
import { SingleFlight } from '#lib/single-flight.ts'
import { createFairSlots } from '#lib/slots.ts'
import type { DatabasePool } from '#sql/db.ts'
import * as streams from '#sql/webhooks/event-streams.ts'
import { service } from '../../http/container.ts'
import { type EventStream, formatEvent } from '../../http/event-stream.ts'
import { followChannel } from '../../http/follow-channel.ts'
import { type EventFilter, formatBatch } from './streamed-event.ts'

/** Sends new events to the streams of organisations. */
export interface EventFollowers {
  /**
   * Opens a stream after the position `after`. If it is undefined, the stream starts with new events. Throws 429 if the
   * key or the organisation has too many streams, and 503 if the process has too many.
   */
  join(who: StreamOwner, after: number | undefined, open: () => EventStream | undefined): Promise<void>
  close(): Promise<void>
}

export interface StreamOwner extends EventFilter {
  orgId: string
  keyId: string
  mode: streams.StreamMode
}

interface Follower extends StreamOwner {
  stream: EventStream
  after: number
  reading: boolean
}

interface Organisation {
  followers: Set<Follower>
  last: number
}

/** Maximum number of streams of one process, and of one organisation and one key in this process. */
const [mostStreams, mostOfOrganisation, mostOfKey] = [10_000, 50, 20]

const [organisationsAtOnce, eventsAtOnce] = [1_000, 200]

/** Maximum number of reads at the same time, and of reads of one organisation. */
const [reads, readsOfOne] = [4, 1]

/** Interval in milliseconds in which connected clients extend the time for which events are stored. */
const extendMs = 600_000

/** Time in milliseconds in which a client must read one batch. After it, the stream ends and its memory is free. */
const stalledMs = 120_000

export const eventFollowers = service<EventFollowers>({
  name: 'account.event followers',
  open: ({ db }) => createEventFollowers(db),
  close: (followers) => followers.close(),
})

function createEventFollowers(db: DatabasePool): EventFollowers {
  const all = new Map<string, Organisation>()
  const stale = new Set<string>()
  const joined: StreamOwner[] = []
  const slots = createFairSlots({ slots: reads, slotsOfOne: readsOfOne })
  /** Most streams of an organisation are at the same position. They share one read. */
  const shared = new SingleFlight<readonly streams.Streamed[]>()
  // A read serves many requests, so it runs outside the log context of a single request.
  const outside = AsyncLocalStorage.snapshot()
  let checking = false
  let extending: Timer | undefined

  const channel = followChannel(db, streams.eventStreamChannel, {
    wakeOne: (orgId) => wake(all.has(orgId) ? [orgId] : []),
    wakeAll: () => wake(all.keys()),
  })

  function wake(orgIds: Iterable<string>): void {
    for (const id of orgIds) stale.add(id)
    if (checking || stale.size === 0) return
    checking = true
    // The notifications of one commit arrive one after the other. This delay lets one read handle all of them.
    setImmediate(() => outside(() => void checkAll()))
  }

  async function checkAll(): Promise<void> {
    try {
      while (stale.size > 0) {
        const ids = [...stale].slice(0, organisationsAtOnce)
        for (const id of ids) stale.delete(id)
        await check(ids)
      }
    } catch (error) {
      log.debug({ err: describe(error) }, 'could not read the event streams')
    } finally {
      checking = false
    }
  }

  /** Finds new events of organisations and starts to send them. */
  async function check(orgIds: readonly string[]): Promise<void> {
    await forEachConcurrently(await streams.listNew(db, orgIds), reads, async (orgId) => {
      if (await db.transaction((tx) => streams.assignPositions(tx, orgId))) stale.add(orgId)
    })
    for (const { org_id, last } of await streams.listLast(db, orgIds)) {
      const organisation = all.get(org_id)
      if (!organisation) continue
      organisation.last = Math.max(organisation.last, last)
      for (const follower of organisation.followers) void send(follower, organisation)
    }
  }

  /** Sends events until the client has all of them. Waits for slow clients, so that their data is not buffered. */
  async function send(follower: Follower, organisation: Organisation): Promise<void> {
    if (follower.reading) return
    follower.reading = true
    try {
      while (!follower.stream.ended && follower.after < organisation.last) await sendSome(follower, organisation.last)
    } catch (error) {
      log.debug({ err: describe(error) }, 'could not send events to a stream')
    } finally {
      follower.reading = false
    }
  }

  async function sendSome(follower: Follower, last: number): Promise<void> {
    const { orgId, after, mode, stream } = follower
    const batch = await shared.share(`${orgId} ${mode} ${after}`, () =>
      read(orgId, { after, mode, limit: eventsAtOnce }),
    )
    stream.write(formatBatch(batch, follower))
    follower.after = batch.at(-1)?.position ?? last
    const stalled = setTimeout(stream.end, stalledMs).unref()
    await stream.drained()
    clearTimeout(stalled)
  }

  async function read(orgId: string, page: Parameters<typeof streams.list>[2]): Promise<readonly streams.Streamed[]> {
    using _slot = await slots.take(orgId)
    return await streams.list(db, orgId, page)
  }

  function demandRoom({ orgId, keyId }: StreamOwner): void {
    const ofOrganisation = joined.filter((one) => one.orgId === orgId)
    if (ofOrganisation.filter((one) => one.keyId === keyId).length >= mostOfKey)
      throw tooMany(`This API key has ${mostOfKey} open streams. Close one first.`)
    if (ofOrganisation.length >= mostOfOrganisation)
      throw tooMany(`The organisation has ${mostOfOrganisation} open streams. Close one first.`)
    if (joined.length >= mostStreams) throw unavailable('Too many streams are open. Try again later.', 10)
  }

  function leave(owner: StreamOwner): void {
    joined.splice(joined.indexOf(owner), 1)
  }

  async function extendAll(): Promise<void> {
    const pairs = new Map(joined.map(({ orgId, mode }) => [`${orgId} ${mode}`, { orgId, mode }]))
    for (const { orgId, mode } of pairs.values()) await streams.extend(db, orgId, mode)
  }

  function startFollowing(): void {
    channel.open()
    extending ??= runEvery(extendMs, extendAll, (error) =>
      log.debug({ err: describe(error) }, 'could not extend the event streams'),
    ).unref()
  }

  /** Returns the position to start at, and whether events before it are missing. */
  async function openAt({ orgId, mode }: StreamOwner, after: number | undefined): Promise<Start> {
    // Usually one transaction is enough. After a long absence, each one handles a part of the events.
    while ((await streams.listNew(db, [orgId])).length > 0)
      await db.transaction((tx) => streams.assignPositions(tx, orgId))
    const { since, expired, last } = await db.transaction((tx) => streams.open(tx, orgId, mode))
    if (after === undefined) return { at: last, gap: false }
    const gap = !(after >= Math.max(since, expired) && after <= last)
    return { at: gap ? Math.max(since, expired) : after, gap }
  }

  function follow(owner: StreamOwner, stream: EventStream, { at, gap }: Start): void {
    const organisation = all.get(owner.orgId) ?? { followers: new Set<Follower>(), last: 0 }
    all.set(owner.orgId, organisation)
    const follower = { ...owner, stream, after: at, reading: false }
    organisation.followers.add(follower)
    stream.onEnd(() => {
      leave(owner)
      organisation.followers.delete(follower)
      if (organisation.followers.size === 0 && all.get(owner.orgId) === organisation) all.delete(owner.orgId)
    })
    stream.write(gap ? formatEvent('gap', gapMessage, at) : formatEvent('ready', { position: at }, at))
    wake([owner.orgId])
  }

  return {
    async join(owner, after, open) {
      demandRoom(owner)
      joined.push(owner)
      let stream: EventStream | undefined
      try {
        startFollowing()
        const start = await outside(() => openAt(owner, after))
        stream = open()
        if (stream) follow(owner, stream, start)
      } finally {
        if (!stream) leave(owner)
      }
    },
    async close() {
      await extending?.stop()
      await channel.close()
    },
  }
}

interface Start {
  at: number
  gap: boolean
}

const gapMessage = {
  message:
    'Events after your last position are missing: they have expired, or no client was connected for 24 hours. List the stored events with `GET /v1/account/events`.',
}

const tooMany = (message: string) => new Problem(429, 'rate_limited', message, { retryAfter: 30 })
