import { PassThrough } from 'node:stream'
import { setTimeout as setTimeoutPromise } from 'node:timers/promises'
import { unavailable } from '#lib/errors.ts'
import { log } from '#lib/log.ts'
import { createSlots } from '#lib/slots.ts'
import type { Html } from '../html/html.ts'

/** Polling interval of regions in milliseconds. A session that has ended gets updates for up to this time. */
const pollMs = 2_000

/**
 * Factor for the delay between readings. After reading a region, wait ten times as long as the reading took, so that
 * watching a large queue does not overload it.
 */
const restFactor = 10

/**
 * Maximum number of audiences whose regions are read at the same time, and time in milliseconds that one turn of an
 * audience may take. Regions that are left are read in the next turn, so that one audience with many or slow regions does
 * not delay others.
 */
const [readersAtOnce, turnMs] = [4, 500]

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
  /** Regions whose last reading failed. */
  const failed = new Set<string>()
  const [slots, busy] = [createSlots(readersAtOnce), new Set<string>()]
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

  /** Reads and delivers a region. A failure affects only the pages with this region. */
  async function refresh(audience: string, name: string): Promise<void> {
    const key = keyOf(audience, name)
    try {
      const now = await read(audience, name)
      failed.delete(key)
      if (now) deliver(audience, name, now)
    } catch (err) {
      failed.add(key)
      log.warn({ err, region: name }, 'could not read a region of the open pages')
    }
  }

  /** Gives an audience its turn: the regions that have waited longest are first. */
  async function serve(audience: string, names: readonly string[]): Promise<void> {
    busy.add(audience)
    const dueAt = (name: string) => readings.get(keyOf(audience, name))?.dueAt ?? 0
    const inOrder = names.toSorted((a, b) => dueAt(a) - dueAt(b))
    await slots.run(async () => {
      const ends = performance.now() + turnMs
      for (const name of inOrder) {
        if (performance.now() > ends) break
        await refresh(audience, name)
      }
    })
    busy.delete(audience)
  }

  /** Gives each audience a turn. Does not wait for audiences whose regions are slow. */
  async function poll(): Promise<void> {
    await endOver()
    const byAudience = Map.groupBy(streams, ({ audience }) => audience)
    const watched = [...byAudience].map(
      ([audience, own]) => [audience, [...new Set(own.flatMap(({ names }) => names))]] as const,
    )
    const kept = new Set(watched.flatMap(([audience, names]) => names.map((name) => keyOf(audience, name))))
    for (const key of readings.keys()) if (!kept.has(key)) readings.delete(key)
    for (const key of failed) if (!kept.has(key)) failed.delete(key)
    const turns = watched.filter(([audience]) => !busy.has(audience)).map(([audience, names]) => serve(audience, names))
    await Promise.race([Promise.all(turns), setTimeoutPromise(pollMs, undefined, { ref: false })])
  }

  async function cycle(): Promise<void> {
    polling = true
    const isAway = await poll().then(
      () => false,
      (err) => {
        log.warn({ err }, 'could not refresh the open pages')
        return true
      },
    )
    const isBehind = ({ audience, names }: Stream) => names.some((name) => failed.has(keyOf(audience, name)))
    for (const stream of streams) send(stream, isAway || isBehind(stream) ? 'away' : 'beat', null)
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
