import type { ServerResponse } from 'node:http'
import type { Writable } from 'node:stream'
import type { Context } from 'koa'
import { z } from 'zod'

/** A stream of server-sent events to one client (HTML standard §9.2). */
export interface EventStream {
  write(text: string): void
  end(): void
  /** Resolves when the client has received the written data, or when the stream ends. */
  drained(): Promise<void>
  readonly ended: boolean
  onEnd(tell: () => void): void
}

export interface EventStreamOptions {
  stopping: AbortSignal
  retryMs?: number
  until?: Date
  /** Maximum size of the buffered data in bytes. Default: 1 MiB. */
  mostBuffered?: number
}

/**
 * Default of the maximum size of the data in bytes that is buffered for a slow client. If there is more, the client is disconnected.
 * It can resume at its last event.
 */
const maxBuffered = 1024 * 1024

/** Time in milliseconds in which a client can read the buffered data of an ended stream. */
const lingerMs = 5_000

/**
 * Interval of comments in seconds. Each stream gets comments, because proxies close silent connections, often after 30
 * seconds.
 */
export const beatSeconds = 15

const beats: Set<EventStream>[] = Array.from({ length: beatSeconds }, () => new Set())
let second = 0
let opened = 0
let beating: NodeJS.Timeout | undefined

const openStreams = (): number => beats.reduce((sum, { size }) => sum + size, 0)

function beat(): void {
  second = (second + 1) % beatSeconds
  for (const stream of beats[second] as Set<EventStream>) stream.write(':\n\n')
  if (openStreams() > 0) return
  clearInterval(beating)
  beating = undefined
}

export function openEventStream(ctx: Context, given: EventStreamOptions): EventStream {
  const { stopping, retryMs = 3_000, until, mostBuffered = maxBuffered } = given
  const { res } = ctx
  const over = until && setTimeout(() => stream.end(), Math.min(until.getTime() - Date.now(), 2 ** 31 - 1))
  const listeners: (() => void)[] = []
  let ended = false
  let out: Writable = res
  const finish = () => {
    if (ended) return
    ended = true
    clearTimeout(over)
    stopping.removeEventListener('abort', end)
    mates.delete(stream)
    for (const tell of listeners) tell()
  }
  const end = () => {
    finish()
    res.end()
    // A client that reads nothing would keep its connection and the buffered data after the end.
    const late = setTimeout(() => res.destroy(), lingerMs).unref()
    res.once('close', () => clearTimeout(late))
  }
  const stream: EventStream = {
    write(text) {
      if (ended) return
      out.write(text)
      if (out.writableLength > mostBuffered) cutOff(res, finish)
    },
    end,
    async drained() {
      if (ended || out.writableLength === 0) return
      const { promise, resolve } = Promise.withResolvers<void>()
      listeners.push(resolve)
      out.once('drain', resolve)
      if (!out.writableNeedDrain) resolve()
      await promise
      listeners.splice(listeners.indexOf(resolve), 1)
    },
    get ended() {
      return ended
    },
    onEnd(tell) {
      if (ended) tell()
      else listeners.push(tell)
    },
  }
  const mates = beats[opened++ % beatSeconds] as Set<EventStream>
  mates.add(stream)
  beating ??= setInterval(beat, 1_000).unref()
  res.once('close', finish)
  stopping.addEventListener('abort', end)
  // The stream ends when the connection ends (RFC 9112 §6.3). Chunked encoding would cost a third more CPU.
  res.removeHeader('transfer-encoding')
  // Koa is bypassed, because it would add another buffer for data that a slow client has not read.
  ctx.respond = false
  ctx.set('content-type', 'text/event-stream')
  // Prevents proxies from buffering the events.
  ctx.set('x-accel-buffering', 'no')
  res.write(`retry: ${retryMs}\n\n`)
  // After the headers, the body is written to the socket, because it has no framing. Writing through `res` would cost a
  // third more.
  out = res.socket ?? res
  if (stopping.aborted) end()
  return stream
}

function cutOff(res: ServerResponse, finish: () => void): void {
  finish()
  res.destroy()
}

export function formatEvent(event: string, data: unknown, id?: number | string): string {
  const name = id === undefined ? '' : `id: ${id}\n`
  return `${name}event: ${event}\ndata: ${JSON.stringify(data)}\n\n`
}

export const lastEventIdQuery = {
  last_event_id: z
    .string()
    .max(100)
    .optional()
    .describe('ID of the last event, for clients that cannot send `Last-Event-ID`'),
}

/**
 * Returns the ID of the last event that a client received. Browsers send it in a header when they reconnect. They
 * cannot set headers on the first connection, so the query’s `last_event_id` is used then. Returns undefined if there
 * is no ID, and NaN if it is invalid.
 */
export function lastEventId(header: string | undefined, query: string | undefined): number | undefined {
  const given = header || query
  if (!given) return undefined
  return /^\d{1,15}$/.test(given) ? Number(given) : Number.NaN
}
