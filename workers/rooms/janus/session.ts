import { once } from 'node:events'
import { WebSocket } from 'ws'
import { z } from 'zod'
import { newId } from '#lib/ids.ts'

export interface Jsep {
  type: 'offer' | 'answer'
  sdp: string
}

const Answer = z.looseObject({
  janus: z.string(),
  transaction: z.string().optional(),
  sender: z.number().optional(),
  data: z.looseObject({ id: z.number() }).optional(),
  plugindata: z.looseObject({ data: z.looseObject({}) }).optional(),
  jsep: z.looseObject({ type: z.enum(['offer', 'answer']), sdp: z.string() }).optional(),
  error: z.looseObject({ code: z.number(), reason: z.string() }).optional(),
})

export type JanusMessage = z.infer<typeof Answer>

export interface PluginAnswer {
  data: Readonly<Record<string, unknown>>
  jsep: Jsep | undefined
}

export class JanusRefusalError extends Error {
  override name = 'JanusRefusalError'
  readonly code: number

  constructor(code: number, reason: string) {
    super(`Janus refuses (${code}): ${reason}`)
    this.code = code
  }
}

export class JanusGoneError extends Error {
  override name = 'JanusGoneError'
}

export interface Handle {
  readonly id: number
  /** Sends a request to the plugin. Resolves with its response, even if the response arrives asynchronously. */
  ask(body: object, jsep?: Jsep): Promise<PluginAnswer>
  /** Sends a candidate of the peer. Null ends the candidates. */
  trickle(candidate: object | null): Promise<void>
  detach(): Promise<void>
}

const answerMs = 5_000

interface PendingRequest {
  resolve(message: JanusMessage): void
  reject(error: Error): void
  timer: NodeJS.Timeout
  /** True if an `ack` counts as the response. */
  acked: boolean
}

export class JanusSession {
  readonly #socket: WebSocket
  readonly #secret: string
  readonly #waiting = new Map<string, PendingRequest>()
  readonly #handles = new Map<number, (message: JanusMessage) => void>()
  #id = 0
  #gone = false

  private constructor(socket: WebSocket, secret: string, onGone: () => void) {
    this.#socket = socket
    this.#secret = secret
    socket.on('message', (data) => this.#hear(String(data)))
    socket.on('error', () => {})
    socket.on('close', () => {
      this.#gone = true
      for (const waiting of this.#waiting.values()) waiting.reject(new JanusGoneError('Janus has stopped.'))
      onGone()
    })
  }

  static async open(path: string, secret: string, onGone: () => void): Promise<JanusSession> {
    const socket = new WebSocket(`ws+unix:${path}:/`, 'janus-protocol', { perMessageDeflate: false })
    await once(socket, 'open')
    const session = new JanusSession(socket, secret, onGone)
    const { data } = await session.#ask({ janus: 'create' })
    session.#id = data?.id ?? 0
    return session
  }

  /** Keeps the session alive. Rejects if Janus hangs. */
  async keepAlive(): Promise<void> {
    await this.#ask({ janus: 'keepalive', session_id: this.#id }, true)
  }

  /** Opens a handle of a plugin. `hear` receives all messages of Janus that are not responses. */
  async attach(hear: (message: JanusMessage) => void, plugin: 'videoroom' | 'nosip' = 'videoroom'): Promise<Handle> {
    const session_id = this.#id
    const { data } = await this.#ask({ janus: 'attach', session_id, plugin: `janus.plugin.${plugin}` })
    const id = data?.id ?? 0
    this.#handles.set(id, hear)
    const at = { session_id, handle_id: id }
    return {
      id,
      ask: async (body, jsep) => {
        const answer = await this.#ask({ janus: 'message', ...at, body, ...(jsep && { jsep }) })
        const found = answer.plugindata?.data ?? {}
        const { error_code: code, error } = found
        if (typeof code === 'number') throw new JanusRefusalError(code, String(error))
        return { data: found, jsep: answer.jsep }
      },
      trickle: async (candidate) => {
        await this.#ask({ janus: 'trickle', ...at, candidate: candidate ?? { completed: true } }, true)
      },
      detach: async () => {
        this.#handles.delete(id)
        if (this.#gone) return
        await this.#ask({ janus: 'detach', ...at }).catch(() => {})
      },
    }
  }

  close(): void {
    this.#socket.terminate()
  }

  #ask(message: object, acked = false): Promise<JanusMessage> {
    if (this.#gone) return Promise.reject(new JanusGoneError('Janus has stopped.'))
    const transaction = newId()
    return new Promise<JanusMessage>((resolve, reject) => {
      const timer = setTimeout(() => reject(new JanusGoneError('Janus is not responding.')), answerMs)
      this.#waiting.set(transaction, { resolve, reject, timer, acked })
      this.#socket.send(JSON.stringify({ ...message, transaction, apisecret: this.#secret }))
    }).finally(() => {
      clearTimeout(this.#waiting.get(transaction)?.timer)
      this.#waiting.delete(transaction)
    })
  }

  #hear(text: string): void {
    const message = Answer.parse(JSON.parse(text))
    const waiting = message.transaction === undefined ? undefined : this.#waiting.get(message.transaction)
    if (!waiting) {
      if (message.sender !== undefined) this.#handles.get(message.sender)?.(message)
      return
    }
    if (message.janus === 'ack' && !waiting.acked) return
    if (message.janus === 'error') {
      waiting.reject(new JanusRefusalError(message.error?.code ?? 0, message.error?.reason ?? 'for no reason'))
    } else waiting.resolve(message)
  }
}
