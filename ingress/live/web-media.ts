import { Agent, request } from 'undici'
import { z } from 'zod'
import { Problem, unavailable } from '#lib/errors.ts'
import { signWeb } from '#tasks/live/rules/web-token.ts'
import { service } from '../http/container.ts'
import { signingSecret } from '../http/services.ts'

/**
 * Milliseconds for a worker to answer, whose media server has 5 s for each question: three of a viewer, and six of a publisher, a
 * connection to it among them. A worker that takes longer has an answer that nobody hears, and ends the connection that never comes up.
 */
const timeoutMs = { publishers: 30_000, viewers: 15_000, connections: 15_000 }

type Path = keyof typeof timeoutMs

const Answered = z.object({ sdp: z.string() })
const Refused = z.object({ code: z.string(), message: z.string() })

/** The workers that publishers and viewers by WebRTC are connected to, as one ingress process asks them. */
export interface WebMedia {
  /** Has a worker take an offer; the answer. Throws what the worker refuses it with, and 503 when it does not answer. */
  offer(gateway: string, what: 'publishers' | 'viewers', order: { id: string; sdp: string }): Promise<string>
  /** Passes candidates on; false when the worker knows no such connection. */
  trickle(gateway: string, id: string, candidates: readonly (object | null)[]): Promise<boolean>
  /** Ends a connection; false when the worker knows none. */
  end(gateway: string, id: string): Promise<boolean>
  close(): Promise<void>
}

/** Asks workers, by their gateways. */
export const webMedia = service<WebMedia>({
  name: 'live.web-media',
  open: ({ services }) => createWebMedia(() => services(signingSecret)),
  close: (media) => media.close(),
})

function createWebMedia(secret: () => string): WebMedia {
  const dispatcher = new Agent({ connections: 64, connect: { timeout: 2_000 }, headersTimeout: timeoutMs.publishers })
  async function ask(gateway: string, method: 'POST' | 'PATCH' | 'DELETE', path: Path, id: string, body?: object) {
    // Its gateway serves WebSockets and this beside one another.
    const url = `${gateway.replace('ws', 'http')}/live/${path}/${id}`
    const headers = { authorization: `Bearer ${signWeb(id, secret())}`, 'content-type': 'application/json' }
    const signal = AbortSignal.timeout(timeoutMs[path])
    const options = { method, headers, dispatcher, signal, body: body ? JSON.stringify(body) : null }
    try {
      const answer = await request(url, options)
      const text = await answer.body.text()
      return { status: answer.statusCode, body: text === '' ? {} : JSON.parse(text) }
    } catch {
      throw unavailable('The media server does not respond. Try again in a moment.')
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
  // Its clock or secret is another than ours.
  const isStranger = told.data?.code === 'not_found'
  if (!told.success || isStranger || status >= 500)
    return unavailable(
      isStranger || !told.success ? 'The media server does not respond. Try again in a moment.' : told.data.message,
    )
  return new Problem(status, told.data.code, told.data.message)
}
