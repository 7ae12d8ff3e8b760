import { Agent, type ClientRequest, type IncomingMessage, request as requestHttp } from 'node:http'
import { request as requestHttps, Agent as SecureAgent } from 'node:https'
import { LRUCache } from 'lru-cache'
import { unavailable } from '../errors.ts'
import type { Signer } from './signer.ts'

/** Time to live of a signed URL in seconds, and time in milliseconds for which it is used again. */
const [urlSeconds, reuseMs] = [300, 60_000]

/** Timeout in milliseconds for the headers of the store's response. */
const answerMs = 10_000

const maxConnections = 1_000

export interface ByteRange {
  from: number
  to: number
}

/**
 * Reads objects as streams for clients that can be slow. They have their own connections to the store, so that slow
 * clients take none from other requests.
 */
export class ObjectStreams {
  readonly #signer: Signer
  readonly #urls = new LRUCache<string, string>({ max: 5_000, ttl: reuseMs })
  readonly #plain = new Agent({ keepAlive: true, maxSockets: maxConnections })
  readonly #secure = new SecureAgent({ keepAlive: true, maxSockets: maxConnections })

  constructor(signer: Signer) {
    this.#signer = signer
  }

  /**
   * Opens an object, or part of it. Returns `null` if the object does not exist. Throws 503 if the store is unavailable.
   */
  async open(key: string, signal: AbortSignal, range?: ByteRange): Promise<IncomingMessage | null> {
    const url = this.#urls.get(key) ?? (await this.#signer.url({ method: 'GET', key, seconds: urlSeconds }))
    this.#urls.set(key, url)
    const headers = range ? { range: `bytes=${range.from}-${range.to}` } : {}
    const answer = await this.#ask(url, { headers, signal }).catch((error) => {
      signal.throwIfAborted()
      throw Object.assign(unavailable('The file storage is unavailable. Retry the same request.'), { cause: error })
    })
    if (answer.statusCode === (range ? 206 : 200)) return answer
    answer.destroy()
    if (answer.statusCode === 404) return null
    throw unavailable('The file storage is unavailable. Retry the same request.')
  }

  async #ask(url: string, options: { headers: Record<string, string>; signal: AbortSignal }): Promise<IncomingMessage> {
    const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>()
    const asked: ClientRequest = url.startsWith('https:')
      ? requestHttps(url, { ...options, agent: this.#secure }, resolve)
      : requestHttp(url, { ...options, agent: this.#plain }, resolve)
    const late = setTimeout(() => asked.destroy(new Error('The store did not respond in time.')), answerMs)
    asked.on('error', reject)
    asked.end()
    return await promise.finally(() => clearTimeout(late))
  }
}
