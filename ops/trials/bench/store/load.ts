/** Sends or fetches bodies over kept connections in parallel. Reports the rate. */
import { once } from 'node:events'
import { Agent, type ClientRequest, type IncomingMessage, request } from 'node:http'
import { sendResult } from '../child.ts'

export interface LoadSettings {
  method: 'PUT' | 'GET'
  bodies: { url: string; bytes: number; headers?: Record<string, string> }[]
  atOnce: number
}

export interface LoadResult {
  seconds: number
  /** Share of a core that the load generator used. Near 1, it limits the measurement. */
  share: number
}

const chunk = Buffer.alloc(1 << 20)
for (let at = 0; at < chunk.length; at += 4) chunk.writeUInt32LE((at * 2_654_435_761) >>> 0, at)

const { method, bodies, atOnce } = JSON.parse(process.argv[2] ?? '{}') as LoadSettings
const agent = new Agent({ keepAlive: true, maxSockets: atOnce })

async function send(outgoing: ClientRequest, bytes: number): Promise<void> {
  for (let left = bytes; left > 0; left -= chunk.length) {
    const isTaken = outgoing.write(left < chunk.length ? chunk.subarray(0, left) : chunk)
    if (!isTaken) await once(outgoing, 'drain')
  }
}

async function travel({ url, bytes, headers = {} }: LoadSettings['bodies'][number]): Promise<void> {
  const length = method === 'PUT' ? { 'content-length': bytes } : {}
  const outgoing = request(url, { method, agent, headers: { ...headers, ...length } })
  const answered = once(outgoing, 'response') as Promise<[IncomingMessage]>
  if (method === 'PUT') await send(outgoing, bytes)
  outgoing.end()
  const [response] = await answered
  let arrived = 0
  for await (const data of response as AsyncIterable<Buffer>) arrived += data.length
  const { statusCode = 0 } = response
  if (statusCode >= 300 || (method === 'GET' && arrived !== bytes))
    throw new Error(`${method} ${new URL(url).pathname}: ${statusCode}, ${arrived} bytes`)
}

const waiting = [...bodies]
async function lane(): Promise<void> {
  for (let body = waiting.shift(); body; body = waiting.shift()) await travel(body)
}

const [begun, usage] = [performance.now(), process.cpuUsage()]
await Promise.all(Array.from({ length: atOnce }, lane))
const seconds = (performance.now() - begun) / 1000
const { user, system } = process.cpuUsage(usage)
agent.destroy()
sendResult({ seconds, share: (user + system) / 1e6 / seconds } satisfies LoadResult)
