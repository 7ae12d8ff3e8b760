import { Agent, request } from 'node:http'
import { setTimeout as pause } from 'node:timers/promises'
import type { Scope } from './postgres.ts'

export interface Load {
  /** Unsuccessful responses, and requests without a response. */
  readonly failures: string[]
  /** Successful requests by process. */
  readonly served: Map<string, number>
  /** Addresses for which email was accepted. */
  readonly accepted: string[]
  count(): number
  stop(): Promise<void>
}

/** Concurrent clients, and milliseconds between two requests of one. */
const [clients, restMs] = [4, 100]

/**
 * Sends requests continuously: emails, texts for a worker to classify, and reads of the rows. Each request has a new
 * connection, because nginx ends its clients’ idle connections on new settings, while it keeps its own to the ingress.
 */
export function startLoad(t: Scope, base: string, keys: Record<string, string>): Load {
  const failures: string[] = []
  const served = new Map<string, number>()
  const accepted: string[] = []
  let [over, count, number] = [false, 0, 0]

  const send = async (agent: Agent) => {
    const to = `reader-${++number}@example.net`
    const message = { stream: 'transactional', from: { email: 'a@dev.example' }, to, subject: 'A', text: 'B' }
    const answer = await ask(agent, 'POST', '/send/v1/messages', keys.send, message)
    if (answer.status === 202) accepted.push(to)
    return answer
  }
  const classify = (agent: Agent) =>
    ask(agent, 'POST', '/v1/ai/classify', keys.platform, { text: 'The bill is wrong.', labels: ['billing', 'weather'] })
  const look = (agent: Agent) => ask(agent, 'GET', '/send/v1/messages?limit=5', keys.send)

  async function ask(agent: Agent, method: string, path: string, key = '', body?: unknown) {
    const { promise, resolve, reject } = Promise.withResolvers<{ status: number; by: string; text: string }>()
    const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' }
    const sent = request(`${base}${path}`, { agent, method, headers, timeout: 30_000 }, (response) => {
      let text = ''
      response.setEncoding('utf8').on('data', (chunk) => {
        text += chunk
      })
      const by = String(response.headers['x-served-by'] ?? '')
      response.on('end', () => resolve({ status: response.statusCode ?? 0, by, text })).on('error', reject)
    })
    sent.on('timeout', () => sent.destroy(new Error('no answer within 30 s'))).on('error', reject)
    sent.end(body === undefined ? undefined : JSON.stringify(body))
    return await promise
  }

  async function client(first: number): Promise<void> {
    const agent = new Agent({ keepAlive: false })
    const kinds = [send, classify, look]
    for (let turn = first; !over; turn++) {
      const kind = kinds[turn % kinds.length] as typeof send
      const answer = await kind(agent).catch((error: Error) => ({ status: 0, by: '', text: error.message }))
      if (answer.status >= 200 && answer.status < 300) {
        count++
        served.set(answer.by, (served.get(answer.by) ?? 0) + 1)
      } else failures.push(`${kind.name}: ${answer.status} of ${answer.by}: ${answer.text.slice(0, 200)}`)
      await pause(restMs)
    }
    agent.destroy()
  }

  const running = Promise.all(Array.from({ length: clients }, (_, i) => client(i)))
  const stop = async () => {
    over = true
    await running
  }
  t.teardown(stop)
  return { failures, served, accepted, stop, count: () => count }
}
