/**
 * Visitors that request challenges at a steady rate and at maximum speed, answer them, and have their tokens verified.
 */
import { connect } from 'node:net'
import { setTimeout as pause } from 'node:timers/promises'
import { sendResult } from '../child.ts'
import { measureTreeCpu, subtractCpu } from '../cpu.ts'

export interface LoadSettings {
  port: number
  siteKey: string
  serverKey: string
  visitors: number
  /** Look-ups, then challenges, per second at first, and seconds for each. */
  rate: number
  seconds: number
  answer: string
}

export interface Phase {
  perSecond: number
  p50: number
  p99: number
  /** CPU time per request in milliseconds. */
  ingress: number
  postgres: number
  /** Number of unexpected responses, and the first of them. */
  strange: number
  first: string
}

export type Phases = Record<'lookUp' | 'steady' | 'issue' | 'complete' | 'verify', Phase>

const settings = JSON.parse(process.argv[2] ?? '{}') as LoadSettings
const { port, siteKey, serverKey, visitors, rate, seconds } = settings

interface Request {
  path: string
  key: string
  ip: string
  body: unknown
}

function bytesOf({ path, key, ip, body }: Request): Buffer {
  const text = JSON.stringify(body)
  return Buffer.from(
    `POST /v1/guard/${path} HTTP/1.1\r\nhost: 127.0.0.1:${port}\r\nauthorization: Bearer ${key}\r\nx-forwarded-for: ${ip}\r\n` +
      `origin: https://bench.example\r\ncontent-type: application/json\r\ncontent-length: ${text.length}\r\n\r\n${text}`,
  )
}

async function openLane() {
  const socket = connect({ port, host: '127.0.0.1', noDelay: true }).setEncoding('latin1')
  let heard = ''
  let got = (_body: unknown) => {}
  socket.on('data', (chunk: string) => {
    heard += chunk
    const head = heard.indexOf('\r\n\r\n')
    const length = head === -1 ? Number.NaN : Number(/\r\ncontent-length: (\d+)/i.exec(heard)?.[1])
    if (!(heard.length >= head + 4 + length)) return
    const body = JSON.parse(heard.slice(head + 4))
    heard = ''
    got(body)
  })
  return {
    ask: (request: Buffer): Promise<unknown> => {
      const { promise, resolve } = Promise.withResolvers<unknown>()
      got = resolve
      socket.write(request)
      return promise
    },
    end: () => socket.end(),
  }
}

/** Sends requests over several connections, optionally at a rate. Returns the responses in order and the time. */
async function run(requests: Request[], connections: number, isGood: (body: never) => boolean, perSecond?: number) {
  const bytes = requests.map(bytesOf)
  const lanes = await Promise.all(Array.from({ length: connections }, openLane))
  const replies: unknown[] = []
  const times: number[] = []
  const before = await measureTreeCpu(process.ppid)
  const begun = performance.now()
  let next = 0
  await Promise.all(
    lanes.map(async (lane) => {
      for (let i = next++; i < bytes.length; i = next++) {
        // Counts from the due time, so that waiting for a connection is included.
        const due = perSecond ? begun + (i * 1000) / perSecond : performance.now()
        if (due > performance.now()) await pause(due - performance.now())
        replies[i] = await lane.ask(bytes[i] as Buffer)
        times.push(performance.now() - due)
      }
      lane.end()
    }),
  )
  const took = (performance.now() - begun) / 1000
  const cpu = Object.entries(subtractCpu(before, await measureTreeCpu(process.ppid)))
  const cpuOf = (program: RegExp) =>
    (cpu.reduce((sum, [name, seconds]) => sum + (program.test(name) ? seconds : 0), 0) / bytes.length) * 1000
  const sorted = times.toSorted((a, b) => a - b)
  const at = (part: number) => sorted[Math.floor(sorted.length * part)] ?? Number.NaN
  const strange = replies.filter((body) => !isGood(body as never))
  const phase: Phase = {
    perSecond: bytes.length / took,
    p50: at(0.5),
    p99: at(0.99),
    ingress: cpuOf(/serve\.ts/),
    postgres: cpuOf(/postgres/),
    strange: strange.length,
    first: JSON.stringify(strange[0]) ?? '',
  }
  return { replies, phase }
}

const addressOf = (i: number) => `10.${(i >> 16) & 255}.${(i >> 8) & 255}.${i & 255}`
const all = Array.from({ length: visitors }, (_, i) => i)
const asking = all.map((i) => ({ path: 'challenges', key: siteKey, ip: addressOf(i), body: { action: 'bench' } }))
const isScrypt = ({ alg }: { alg: string }) => alg === 'scrypt'

// Warms up the server, whose code is compiled on first use.
const warm = await run(asking.slice(0, 500), 4, isScrypt)
const unknown = { path: 'tokens/verify', key: serverKey, ip: '127.0.0.1', body: { token: 'none', action: 'bench' } }
const isUnknown = ({ reason }: { reason?: string }) => reason === 'unknown'
const lookUp = await run(Array<Request>(rate * seconds).fill(unknown), 32, isUnknown, rate)
const steady = await run(asking.slice(500, 500 + rate * seconds), 32, isScrypt, rate)
const rest = await run(asking.slice(500 + rate * seconds), 32, isScrypt)
const issued = [warm, steady, rest].flatMap(({ replies }) => replies as { id: string }[])
const complete = await run(
  issued.map(({ id }, i) => ({
    path: `challenges/${id}/complete`,
    key: siteKey,
    ip: addressOf(i),
    body: { answer: settings.answer },
  })),
  64,
  ({ token }: { token?: string }) => token !== undefined,
)
const verify = await run(
  complete.replies.map((body) => ({
    path: 'tokens/verify',
    key: serverKey,
    ip: '127.0.0.1',
    body: { token: (body as { token: string }).token, action: 'bench' },
  })),
  64,
  ({ valid }: { valid: boolean }) => valid,
)
const phases: Phases = {
  lookUp: lookUp.phase,
  steady: steady.phase,
  issue: rest.phase,
  complete: complete.phase,
  verify: verify.phase,
}
sendResult(phases)
