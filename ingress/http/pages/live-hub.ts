import { PassThrough } from 'node:stream'
import { unavailable } from '#lib/errors.ts'
import { log } from '#lib/log.ts'
import type { Html } from '../html/html.ts'

/** Polling interval of regions in milliseconds. A session that has ended gets updates for up to this time. */
const pollMs = 2_000

/**
 * Factor for the delay between readings. After reading a region, wait ten times as long as the reading took, so that
 * watching a large queue does not overload it.
 */
const restFactor = 10

/**
 * Maximum number of streams per process, per audience (a role of an organisation, or all operators), and per session.
 */
const [mostStreams, mostOfAudience, mostOfSession] = [500, 50, 8]

interface Stream {
  sessionId: string
  /** Owner of the data: an organisation’s ID, or empty for operators. Audiences never share data. */
  audience: string
  names: readonly string[]
  out: PassThrough
  joinedAt: number
  sent: Map<string, string>
}

const keyOf = (audience: string, name: string): string => `${audience} ${name}`

interface Reading {
  region: WatchedRegion
  html: string
  readAt: number
  dueAt: number
}

export interface LiveHub {
  join(sessionId: string, audience: string, names: readonly string[]): PassThrough
}

interface HubParts {
  find(audience: string, name: string): WatchedRegion | undefined
  listGood(sessionIds: readonly string[]): Promise<readonly string[]>
  stopping: AbortSignal
}

interface WatchedRegion {
  everyMs: number
  read(): Promise<Html>
}

export function createLiveHub({ find, listGood, stopping }: HubParts): LiveHub {
  const streams = new Set<Stream>()
  const readings = new Map<string, Reading>()
  let timer: NodeJS.Timeout | undefined
  let polling = false

  const send = (stream: Stream, event: string, data: unknown) =>
    stream.out.write(`event: ${event}\ndata: ${JSON.stringify(data)}\n\n`)

  async function endOver(): Promise<void> {
    const asked = [...streams]
    const ids = [...new Set(asked.map(({ sessionId }) => sessionId))]
    const good = new Set(await listGood(ids))
    for (const stream of asked.filter(({ sessionId }) => !good.has(sessionId))) {
      send(stream, 'over', null)
      stream.out.end()
    }
  }

  async function read(audience: string, name: string): Promise<Reading | undefined> {
    const key = keyOf(audience, name)
    const known = readings.get(key)
    if (known && performance.now() < known.dueAt) return known
    const region = known?.region ?? find(audience, name)
    if (!region) return undefined
    const begun = performance.now()
    const { text } = await region.read()
    const rest = Math.max(region.everyMs, restFactor * (performance.now() - begun))
    // Timers are not exact. A poll that runs slightly too early also reads the region.
    const now = { region, html: text, readAt: begun, dueAt: performance.now() + rest - pollMs / 4 }
    readings.set(key, now)
    return now
  }

  function deliver(audience: string, name: string, { html, readAt }: Reading): void {
    for (const stream of streams) {
      if (stream.audience !== audience) continue
      // Data that was read before the page was rendered must not replace newer content.
      if (!stream.names.includes(name) || readAt < stream.joinedAt || stream.sent.get(name) === html) continue
      if (stream.out.writableNeedDrain) continue
      stream.sent.set(name, html)
      send(stream, 'html', { name, html })
    }
  }

  async function poll(): Promise<void> {
    await endOver()
    const all = [...streams].flatMap(({ audience, names }) => names.map((name) => ({ audience, name })))
    const watched = new Map(all.map((one) => [keyOf(one.audience, one.name), one]))
    for (const { audience, name } of watched.values()) {
      const now = await read(audience, name)
      if (now) deliver(audience, name, now)
    }
    for (const key of readings.keys()) if (!watched.has(key)) readings.delete(key)
  }

  async function cycle(): Promise<void> {
    polling = true
    const event = await poll().then(
      () => 'beat',
      (err) => {
        log.warn({ err }, 'could not refresh the open console pages')
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
    join(sessionId, audience, names) {
      const count = (is: (stream: Stream) => boolean) => [...streams].filter(is).length
      const full =
        streams.size >= mostStreams ||
        count((stream) => stream.audience === audience) >= mostOfAudience ||
        count((stream) => stream.sessionId === sessionId) >= mostOfSession
      if (full) throw unavailable('Too many pages with live updates are open. Close some and reload.', 10)
      const out = new PassThrough()
      const stream: Stream = { sessionId, audience, names, out, joinedAt: performance.now(), sent: new Map() }
      streams.add(stream)
      stream.out.once('close', () => leave(stream)).write('retry: 2000\n\n')
      if (stopping.aborted) stream.out.end()
      clearTimeout(timer)
      if (!polling) timer = setTimeout(() => void cycle(), 0)
      return stream.out
    },
  }
}
