import type { ServerResponse } from 'node:http'
import type { Writable } from 'node:stream'
import type { Context } from 'koa'

/** Server-sent events to one client (HTML standard §9.2). */
export interface EventStream {
  /** Writes what `formatEvent` made; a stream that has ended takes nothing. One text may go to many streams. */
  write(text: string): void
  end(): void
  readonly ended: boolean
  /** Calls `tell` once it has ended, whoever ended it. */
  onEnd(tell: () => void): void
}

export interface EventStreamOptions {
  /** Ends the stream: the process is asked to end. */
  stopping: AbortSignal
  /** Milliseconds after which a client that was cut off comes back. */
  retryMs?: number
  /** Ends the stream then, as what opened it is over. */
  until?: Date
}

/** Bytes that wait in this process for a client that reads slowly; beyond them it is cut off, and resumes where it was. */
const maxBuffered = 1024 * 1024

/** Each stream gets a comment within so many seconds: proxies cut what is silent, often after 30. */
export const beatSeconds = 15

/** All open streams of the process, spread over the seconds of a beat, so that they are not all written to at once. */
const beats: Set<EventStream>[] = Array.from({ length: beatSeconds }, () => new Set())
let second = 0
let opened = 0
let beating: NodeJS.Timeout | undefined

/** How many streams are open. */
const openStreams = (): number => beats.reduce((sum, { size }) => sum + size, 0)

function beat(): void {
  second = (second + 1) % beatSeconds
  for (const stream of beats[second] as Set<EventStream>) stream.write(':\n\n')
  if (openStreams() > 0) return
  clearInterval(beating)
  beating = undefined
}

/** Answers a request of a `raw` route with a stream of events; headers and the time to reconnect are sent at once. */
export function openEventStream(ctx: Context, { stopping, retryMs = 3_000, until }: EventStreamOptions): EventStream {
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
  }
  const stream: EventStream = {
    write(text) {
      if (ended) return
      out.write(text)
      if (out.writableLength > maxBuffered) cutOff(res, finish)
    },
    end,
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
  // The connection's end is the stream's (RFC 9112 §6.3): a write in chunks costs a third more CPU.
  res.removeHeader('transfer-encoding')
  // It is written past Koa, which would hold what a slow client has not read in one more buffer.
  ctx.respond = false
  ctx.set('content-type', 'text/event-stream')
  // Proxies that collect answers would hold the events back.
  ctx.set('x-accel-buffering', 'no')
  res.write(`retry: ${retryMs}\n\n`)
  // Nothing frames the body, so once the head has gone `res` would add nothing to a write but a third of its cost.
  out = res.socket ?? res
  if (stopping.aborted) end()
  return stream
}

function cutOff(res: ServerResponse, finish: () => void): void {
  finish()
  res.destroy()
}

/** An event as it goes over the wire; `id` is what the client names when it comes back. */
export function formatEvent(event: string, data: unknown, id?: number): string {
  const name = id === undefined ? '' : `id: ${id}\n`
  return `${name}event: ${event}\ndata: ${JSON.stringify(data)}\n\n`
}

/**
 * The id of the last event that a client has seen: the header that browsers send when they come back, or else `last_event_id` of
 * the query, as they cannot set headers when they first come. Undefined when it names none, NaN for what is no id.
 */
export function lastEventId(header: string | undefined, query: string | undefined): number | undefined {
  const given = header || query
  if (!given) return undefined
  return /^\d{1,15}$/.test(given) ? Number(given) : Number.NaN
}
