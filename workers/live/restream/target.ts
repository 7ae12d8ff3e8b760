import type { AddressGuard } from '#lib/network/address-guard.ts'
import type { Reason, State, Target } from '#sql/live/restream-queries.ts'
import type { Message } from '../rtmp/chunks.ts'
import { getTagKind, type TagKind } from '../rtmp/flv.ts'
import { dial } from './dial.ts'
import { RestreamFault } from './fault.ts'
import { Publication } from './publication.ts'

export interface TargetStatus {
  state: State
  reason: Reason | null
}

/** Tags before the first frame: metadata and decoder configurations. */
export type Headers = ReadonlyMap<TagKind, Message>

/**
 * Delay before a retry in milliseconds: first and maximum. Duration in milliseconds after which a stream counts as
 * stable.
 */
const [soonest, latest, steadyMs] = [1_000, 30_000, 30_000]

export interface TargetTools {
  guard: AddressGuard
  /** Stream key. Null if it cannot be decrypted. */
  key: string | null
  headers(): Headers
}

/** Publishes a stream to a target. Retries whenever the stream ends. If it ends quickly, the delays become longer. */
export class RestreamedTarget {
  readonly facts: Target
  told: TargetStatus = { state: 'connecting', reason: null }
  isWritten = false
  readonly #tools: TargetTools
  readonly #closed = new AbortController()
  #publication: Publication | undefined
  #joined = false
  #begins = 0
  #pause = soonest

  constructor(facts: Target, tools: TargetTools) {
    this.facts = facts
    this.#tools = tools
    void this.#run()
  }

  /** Sends a tag. The first frame for a target is a key frame, because decoders cannot start with another frame. */
  push(message: Message): void {
    const publication = this.#publication
    if (!publication) return
    const kind = getTagKind(message)
    if (!this.#joined) {
      const headers = this.#tools.headers()
      if (kind !== 'key frame' && (kind !== 'sound' || headers.has('video header'))) return
      this.#joined = true
      this.#begins = message.time
      for (const header of headers.values()) publication.send({ ...header, time: 0 })
      this.#tell({ state: 'live', reason: null })
    } else if (this.told.state !== 'live') this.#tell({ state: 'live', reason: null })
    publication.send({ ...message, time: (message.time - this.#begins) >>> 0 })
  }

  rest(): void {
    if (this.told.state === 'live') this.#tell({ state: 'connecting', reason: 'publisher_away' })
  }

  close(): void {
    this.#closed.abort()
    this.#publication?.close()
    this.#publication = undefined
  }

  async #run(): Promise<void> {
    const { signal } = this.#closed
    while (!signal.aborted) {
      const begun = performance.now()
      const fault = await this.#publish().catch((error: unknown) => error)
      this.#publication = undefined
      if (signal.aborted) return
      if (performance.now() - begun > steadyMs) this.#pause = soonest
      this.#tell({ state: 'failed', reason: fault instanceof RestreamFault ? fault.reason : 'connection_failed' })
      await this.#wait(this.#pause)
      this.#pause = Math.min(2 * this.#pause, latest)
    }
  }

  async #publish(): Promise<RestreamFault> {
    const { guard, key } = this.#tools
    if (key === null) return new RestreamFault('key_unreadable')
    const url = new URL(this.facts.url)
    const socket = await dial(url, guard)
    const publication = new Publication(socket, { app: url.pathname.slice(1), tcUrl: this.facts.url, key })
    if (this.#closed.signal.aborted) publication.close()
    await publication.accepted()
    if (this.#closed.signal.aborted) publication.close()
    this.#joined = false
    this.#publication = publication
    return await publication.over
  }

  #tell(told: TargetStatus): void {
    if (told.state === this.told.state && told.reason === this.told.reason) return
    this.told = told
    this.isWritten = false
  }

  #wait(ms: number): Promise<void> {
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, ms)
      this.#closed.signal.addEventListener('abort', () => {
        clearTimeout(timer)
        resolve()
      })
    })
  }
}
