import { Agent, request } from 'undici'
import { z } from 'zod'
import { Problem, unavailable } from '#lib/errors.ts'
import { signWebToken } from '#tasks/live/rules/web-token.ts'
import { service } from '../http/container.ts'
import { signingSecret } from '../http/services.ts'

/**
 * Timeouts in milliseconds for the response of a worker. Its media server has 5 s per request. A viewer needs three
 * requests, and a publisher needs six, including a connection to the server. If the worker takes longer, its answer
 * reaches no client, so the connection is never established and the worker ends it.
 */
const timeoutMs = { publishers: 30_000, viewers: 15_000, connections: 15_000 }

type Path = keyof typeof timeoutMs

const Answered = z.object({ sdp: z.string() })
const Refused = z.object({ code: z.string(), message: z.string() })

export interface WebMedia {
  /**
   * Sends an offer to a worker and returns the answer. If the worker rejects the offer, throws its error. Throws 503 if
   * the worker is not responding.
   */
  offer(gateway: string, what: 'publishers' | 'viewers', order: { id: string; sdp: string }): Promise<string>
  /** Sends candidates. Returns false if the worker does not know the connection. */
  trickle(gateway: string, id: string, candidates: readonly (object | null)[]): Promise<boolean>
  /** Ends a connection. Returns false if the worker does not know it. */
  end(gateway: string, id: string): Promise<boolean>
  close(): Promise<void>
}

export const webMedia = service<WebMedia>({
  name: 'live.web-media',
  open: ({ services }) => createWebMedia(() => services(signingSecret)),
  close: (media) => media.close(),
})

function createWebMedia(secret: () => string): WebMedia {
  const dispatcher = new Agent({ connections: 64, connect: { timeout: 2_000 }, headersTimeout: timeoutMs.publishers })
  async function ask(gateway: string, method: 'POST' | 'PATCH' | 'DELETE', path: Path, id: string, body?: object) {
    // The gateway serves WebSockets and these HTTP requests on the same port.
    const url = `${gateway.replace('ws', 'http')}/live/${path}/${id}`
    const headers = { authorization: `Bearer ${signWebToken(id, secret())}`, 'content-type': 'application/json' }
    const signal = AbortSignal.timeout(timeoutMs[path])
    const options = { method, headers, dispatcher, signal, body: body ? JSON.stringify(body) : null }
    try {
      const answer = await request(url, options)
      const text = await answer.body.text()
      return { status: answer.statusCode, body: text === '' ? {} : JSON.parse(text) }
    } catch {
      throw unavailable('The media server is not responding. Try again in a moment.')
    }
  }
  const found = ({ status, body }: { status: number; body: unknown }) => {
    if (status === 404) return false
    if (status < 300) return true
    throw refusalOf(status, body)
  }
  return {
    async offer(gateway, what, order) {
      const { status, body } = await ask(gateway, 'POST', what, order.id, order)
      if (status !== 201) throw refusalOf(status, body)
      return Answered.parse(body).sdp
    },
    trickle: async (gateway, id, candidates) => found(await ask(gateway, 'PATCH', 'connections', id, { candidates })),
    end: async (gateway, id) => found(await ask(gateway, 'DELETE', 'connections', id)),
    close: () => dispatcher.destroy(),
  }
}

function refusalOf(status: number, body: unknown): Problem {
  const told = Refused.safeParse(body)
  // The clock or the secret of the worker is different from ours.
  const isStranger = told.data?.code === 'not_found'
  if (!told.success || isStranger || status >= 500)
    return unavailable(
      isStranger || !told.success ? 'The media server is not responding. Try again in a moment.' : told.data.message,
    )
  return new Problem(status, told.data.code, told.data.message)
}
