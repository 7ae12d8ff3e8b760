import { AsyncLocalStorage } from 'node:async_hooks'
import { type Dispatcher, Pool, request as requestOnce } from 'undici'
import { config } from '#lib/config.ts'
import { type Problem, unavailable } from '#lib/errors.ts'
import { log } from '#lib/log.ts'
import { network } from '../limits/buckets.ts'

/** How much of this process one other cell may take, in numbers and milliseconds. */
export interface PassageLimits {
  /** Requests, whole here, that wait for the cell to begin its answer. */
  waiting: number
  /** Requests under way, those whose bodies still come and whose answers have begun included; one network has an eighth at most. */
  streams: number
  timeoutMs: number
}

/** The limits as this process is configured. */
export const passageLimits = (): PassageLimits => ({
  waiting: config.CELL_WAITING,
  streams: config.CELL_STREAMS,
  timeoutMs: config.CELL_TIMEOUT_MS,
})

/** The place of a request on its way to another cell, held until its answer has ended. */
export interface Place {
  /** Sends it; `whole` resolves when no more of its body is to come. Rejects with 503 when the cell is away. */
  send(
    request: Omit<Dispatcher.RequestOptions, 'origin' | 'signal'>,
    given: { whole: Promise<void>; gone: AbortSignal },
  ): Promise<Dispatcher.ResponseData>
  leave(): void
}

/** The way to one other cell: connections and places of its own, so that it takes nothing from the way to any other. */
export interface Passage {
  /** Gives a client's request its place; throws 503 while the cell is away or all places are taken. */
  enter(ip: string): Place
  close(): Promise<void>
}

/** Milliseconds: between two questions whether the cell lives, and for its answer. */
const [askEveryMs, patienceMs] = [500, 1_500]

/** Questions in a row without an answer after which a cell is taken to be away. */
const maxMisses = 2

const connectMs = 2_000

const awayOf = (cell: string): Problem =>
  unavailable('The cell that has this is briefly unavailable; the same request may be sent again.', 2, { cell })

/**
 * Opens the way to a cell's ingress; nothing is connected before the first request. While requests wait for it the cell is asked,
 * on a connection of its own, whether it lives: when it does not say so, what waits is answered 503, and so is at once what comes,
 * until it does. What a request itself does to it, be it slow or broken off, closes the way to nobody else.
 */
export function openPassage(cell: string, url: string, limits: PassageLimits): Passage {
  const { origin } = new URL(url)
  const connect = { timeout: connectMs }
  const pool = new Pool(origin, {
    connections: limits.streams,
    connect,
    headersTimeout: limits.timeoutMs,
    // What goes on for long, as event streams do, is ended by its two ends.
    bodyTimeout: 0,
    keepAliveTimeout: 20_000,
  })
  const times = { headersTimeout: patienceMs, bodyTimeout: patienceMs }
  const scout = new Pool(origin, { connections: 1, connect: { timeout: patienceMs }, ...times })
  // What is found out of a cell is said of no one request.
  const apart = AsyncLocalStorage.snapshot()
  const ofNetworks = new Map<string, number>()
  let [waiting, streams, misses] = [0, 0, 0]
  let away = new AbortController()
  let [timer, closed]: [NodeJS.Timeout | undefined, boolean] = [undefined, false]

  const schedule = () => {
    if (!closed) timer ??= setTimeout(() => void apart(ask), askEveryMs).unref()
  }

  async function ask(): Promise<void> {
    const lives = await requestOnce(`${origin}/healthz`, { dispatcher: scout })
      .then(({ body }) => body.dump())
      .then(
        () => true,
        () => false,
      )
    if (lives && away.signal.aborted) {
      log.warn({ cell }, 'another cell is back')
      away = new AbortController()
    }
    misses = lives ? 0 : misses + 1
    if (misses === maxMisses) {
      log.warn({ cell }, 'another cell is away')
      away.abort(awayOf(cell))
    }
    timer = undefined
    if (waiting > 0 || misses > 0) schedule()
  }

  /** Sends a request, which counts as waiting from when it is whole. */
  const send: Place['send'] = async (request, { whole, gone }) => {
    let isWaiting: boolean | undefined
    const full = new AbortController()
    void whole.then(() => {
      if (isWaiting === false) return
      if (waiting >= limits.waiting) return full.abort(awayOf(cell))
      isWaiting = true
      waiting++
      schedule()
    })
    // Before the first byte: what has no body is whole already.
    await Promise.resolve()
    const signal = AbortSignal.any([gone, away.signal, full.signal])
    try {
      return await pool.request({ ...request, signal })
    } catch (error) {
      if (signal.aborted) throw signal.reason
      throw Object.assign(awayOf(cell), { cause: error })
    } finally {
      if (isWaiting) waiting--
      isWaiting = false
    }
  }

  return {
    enter(ip) {
      const from = network(ip)
      const own = ofNetworks.get(from) ?? 0
      if (away.signal.aborted || streams >= limits.streams || own >= limits.streams / 8) throw awayOf(cell)
      streams++
      ofNetworks.set(from, own + 1)
      let left = false
      const leave = () => {
        if (left) return
        left = true
        streams--
        const rest = (ofNetworks.get(from) ?? 1) - 1
        if (rest > 0) ofNetworks.set(from, rest)
        else ofNetworks.delete(from)
      }
      return { send, leave }
    },
    async close() {
      closed = true
      clearTimeout(timer)
      await Promise.all([pool.destroy(), scout.destroy()])
    },
  }
}
