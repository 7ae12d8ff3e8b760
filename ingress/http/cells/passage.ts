import { AsyncLocalStorage } from 'node:async_hooks'
import { type Dispatcher, Pool, request as requestOnce } from 'undici'
import { type Problem, unavailable } from '#lib/errors.ts'
import { log } from '#lib/log.ts'
import { getClientNetwork } from '../limits/buckets.ts'

export interface CellConnectionLimits {
  waiting: number
  streams: number
  timeoutMs: number
}

/** Limits per process for each other cell. `timeoutMs` is the time that a running cell has to start its response. */
export const cellConnectionLimits: CellConnectionLimits = { waiting: 256, streams: 2_000, timeoutMs: 120_000 }

export interface ForwardSlot {
  /**
   * Sends the request. `whole` must resolve when the request’s body is complete. Rejects with 503 if the cell is
   * unavailable.
   */
  send(
    request: Omit<Dispatcher.RequestOptions, 'origin' | 'signal'>,
    given: { whole: Promise<void>; gone: AbortSignal },
  ): Promise<Dispatcher.ResponseData>
  leave(): void
}

export interface CellConnection {
  /** Reserves a place for a client’s request. Throws 503 if the cell is unavailable or all places are in use. */
  enter(ip: string): ForwardSlot
  close(): Promise<void>
}

const [askEveryMs, patienceMs] = [500, 1_500]

const maxMisses = 2

const connectMs = 2_000

const awayOf = (cell: string): Problem =>
  unavailable('The cell of this organisation is temporarily unavailable. Retry the same request.', 2, { cell })

/**
 * Creates the connection to a cell’s ingress. It connects with the first request. While requests wait, the cell’s
 * health is checked on a separate connection. If the cell is not responding, waiting and new requests get 503 until it
 * responds again. Slow or aborted requests do not affect other requests.
 */
export function openCellConnection(cell: string, url: string, limits: CellConnectionLimits): CellConnection {
  const { origin } = new URL(url)
  const connect = { timeout: connectMs }
  const pool = new Pool(origin, {
    connections: limits.streams,
    connect,
    headersTimeout: limits.timeoutMs,
    bodyTimeout: 0,
    keepAliveTimeout: 20_000,
  })
  const times = { headersTimeout: patienceMs, bodyTimeout: patienceMs }
  const scout = new Pool(origin, { connections: 1, connect: { timeout: patienceMs }, ...times })
  // Health checks run outside the context of any request.
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
      log.warn({ cell }, 'another cell is available again')
      away = new AbortController()
    }
    misses = lives ? 0 : misses + 1
    if (misses === maxMisses) {
      log.warn({ cell }, 'another cell is unavailable')
      away.abort(awayOf(cell))
    }
    timer = undefined
    if (waiting > 0 || misses > 0) schedule()
  }

  /** Sends a request. The request counts as waiting when its body is complete. */
  const send: ForwardSlot['send'] = async (request, { whole, gone }) => {
    let isWaiting: boolean | undefined
    const full = new AbortController()
    void whole.then(() => {
      if (isWaiting === false) return
      if (waiting >= limits.waiting) return full.abort(awayOf(cell))
      isWaiting = true
      waiting++
      schedule()
    })
    // If the request has no body, `whole` is already resolved. Its handler runs here, before the first byte is sent.
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
      const from = getClientNetwork(ip)
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
