import { PassThrough } from 'node:stream'
import { z } from 'zod'
import { type Problem, unauthorized, unavailable } from '#lib/errors.ts'
import { log } from '#lib/log.ts'
import { operatorScope } from '#lib/tokens.ts'
import * as sessions from '#sql/account/sessions.ts'
import type { DatabasePool } from '#sql/db.ts'
import { consoleContents } from '../http/console/contents.ts'
import { shared } from '../http/console/page.ts'
import { findRegion, type NamedRegion, type Regions } from '../http/console/regions.ts'
import { findOperator } from '../http/console/session.ts'
import { route } from '../http/route.ts'
import { stopping } from '../http/services.ts'

/** How often what pages show is polled; also within how long a session that ended gets no more. */
const pollMs = 2_000

/** A region rests ten times as long as it took to read, so that a huge queue is not kept busy by its own watching. */
const restFactor = 10

const mostStreams = 500

/** One page that watches. */
interface Stream {
  sessionId: string
  names: readonly string[]
  out: PassThrough
  joinedAt: number
  /** What it was last sent, by region. */
  sent: Map<string, string>
}

/** What is known of a region. */
interface Reading {
  region: NamedRegion
  html: string
  readAt: number
  dueAt: number
}

/** All streams of one process: each region is read once, however many pages show it. */
interface Hub {
  join(sessionId: string, names: readonly string[]): PassThrough
}

const hubs = new WeakMap<DatabasePool, Hub>()

function hubOf(db: DatabasePool, regions: Regions, stopping: AbortSignal): Hub {
  const hub = hubs.get(db) ?? createHub(db, regions, stopping)
  hubs.set(db, hub)
  return hub
}

function createHub(db: DatabasePool, regions: Regions, stopping: AbortSignal): Hub {
  const streams = new Set<Stream>()
  const readings = new Map<string, Reading>()
  let timer: NodeJS.Timeout | undefined
  let polling = false

  const send = (stream: Stream, event: string, data: unknown) =>
    stream.out.write(`event: ${event}\ndata: ${JSON.stringify(data)}\n\n`)

  async function endOver(): Promise<void> {
    const asked = [...streams]
    const ids = [...new Set(asked.map(({ sessionId }) => sessionId))]
    const good = new Set(await sessions.listGood(db, ids, operatorScope))
    for (const stream of asked.filter(({ sessionId }) => !good.has(sessionId))) {
      send(stream, 'over', null)
      stream.out.end()
    }
  }

  async function read(name: string): Promise<Reading | undefined> {
    const known = readings.get(name)
    if (known && performance.now() < known.dueAt) return known
    const region = known?.region ?? findRegion(regions, name)
    if (!region) return undefined
    const begun = performance.now()
    const { text } = await region.read(db)
    const rest = Math.max(region.everyMs, restFactor * (performance.now() - begun))
    // A poll earlier than late: timers are not exact.
    const now = { region, html: text, readAt: begun, dueAt: performance.now() + rest - pollMs / 4 }
    readings.set(name, now)
    return now
  }

  function deliver(name: string, { html, readAt }: Reading): void {
    for (const stream of streams) {
      // What was read before a page was made must not undo what the page shows.
      if (!stream.names.includes(name) || readAt < stream.joinedAt || stream.sent.get(name) === html) continue
      // One that reads slowly gets the next state in place of this one.
      if (stream.out.writableNeedDrain) continue
      stream.sent.set(name, html)
      send(stream, 'html', { name, html })
    }
  }

  async function poll(): Promise<void> {
    await endOver()
    const watched = new Set([...streams].flatMap(({ names }) => names))
    for (const name of watched) {
      const now = await read(name)
      if (now) deliver(name, now)
    }
    for (const name of readings.keys()) if (!watched.has(name)) readings.delete(name)
  }

  async function cycle(): Promise<void> {
    polling = true
    const event = await poll().then(
      () => 'beat',
      (err) => {
        log.warn({ err }, 'the console could not read the queue')
        return 'away'
      },
    )
    for (const stream of streams) send(stream, event, null)
    polling = false
    if (streams.size > 0) timer = setTimeout(() => void cycle(), pollMs).unref()
  }

  function leave(stream: Stream): void {
    streams.delete(stream)
    if (streams.size === 0) clearTimeout(timer)
  }

  stopping.addEventListener('abort', () => {
    for (const { out } of streams) out.end()
  })

  return {
    join(sessionId, names) {
      if (streams.size >= mostStreams) throw unavailable('Too many pages of the console are open.', 10)
      const stream: Stream = { sessionId, names, out: new PassThrough(), joinedAt: performance.now(), sent: new Map() }
      streams.add(stream)
      stream.out.once('close', () => leave(stream)).write('retry: 2000\n\n')
      if (stopping.aborted) stream.out.end()
      clearTimeout(timer)
      if (!polling) timer = setTimeout(() => void cycle(), 0)
      return stream.out
    },
  }
}

/** `GET /ops/live`: what the named regions of a page become, as server-sent events. */
export const stream = route({
  ...shared,
  method: 'GET',
  path: '/live',
  summary: 'Watch regions of a page',
  query: z.object({ watch: z.array(z.string().max(200)).max(20) }),
  raw: 'text/event-stream',
  renderProblem: (ctx, problem: Problem) => {
    ctx.type = 'text/plain'
    ctx.body = problem.message
  },
  async handle({ ctx, db, query, services }) {
    const operator = await findOperator(ctx, db)
    if (!operator) throw unauthorized('Sign in to watch.')
    const out = hubOf(db, services(consoleContents).regions, services(stopping)).join(operator.id, query.watch)
    ctx.res.once('close', () => out.destroy())
    // Proxies that collect answers would hold the events back.
    ctx.set('x-accel-buffering', 'no')
    ctx.body = out
  },
})
