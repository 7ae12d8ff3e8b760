/** Sends one request after the other over each of some connections, and answers how many were accepted and how fast. */
import { connect, type Socket } from 'node:net'
import { median } from '../benchmark.ts'
import { answer } from '../child.ts'

/** What it is to send, and for how long. */
export interface LoadSettings {
  port: number
  path: string
  key: string
  connections: number
  /** Seconds, of which the first half a second is not counted. */
  seconds: number
}

/** What came of it. */
export interface Loaded {
  perSecond: number
  /** Milliseconds. */
  p50: number
  p99: number
  /** Answers with another status than 202, and the first of them. */
  refused: number
  refusal: string
  /** The generator's own share of a core: near 1, it would be what is measured. */
  share: number
}

const { port, path, key, connections, seconds } = JSON.parse(process.argv[2] ?? '{}') as LoadSettings
const body = JSON.stringify({ text: 'a note of some length, as notes are', urgent: false })
const request = Buffer.from(
  `POST ${path} HTTP/1.1\r\nhost: 127.0.0.1:${port}\r\nauthorization: Bearer ${key}\r\n` +
    `content-type: application/json\r\ncontent-length: ${Buffer.byteLength(body)}\r\n\r\n${body}`,
)
const times: number[] = []
let refused = 0
let refusal = ''
let counting = false
let over = false

/** The length of the whole answer at the start of `text`; undefined while its head is not complete. */
function lengthOf(text: string): number | undefined {
  const head = text.indexOf('\r\n\r\n')
  if (head === -1) return undefined
  const [, length = '0'] = /\r\ncontent-length: (\d+)/i.exec(text) ?? []
  return head + 4 + Number(length)
}

async function run(): Promise<void> {
  const socket: Socket = connect({ port, host: '127.0.0.1', noDelay: true })
  const closed = Promise.withResolvers<void>()
  let sent = 0
  let heard = ''
  const send = () => {
    if (over) return socket.end()
    sent = performance.now()
    socket.write(request)
  }
  socket.setEncoding('latin1')
  socket.on('connect', send)
  socket.on('close', () => closed.resolve())
  socket.on('error', closed.reject)
  socket.on('data', (chunk: string) => {
    heard += chunk
    const length = lengthOf(heard)
    if (length === undefined || heard.length < length) return
    if (counting && heard.startsWith('HTTP/1.1 202')) times.push(performance.now() - sent)
    else if (counting && refused++ === 0) refusal = heard.slice(0, length)
    heard = heard.slice(length)
    send()
  })
  await closed.promise
}

const lanes = Array.from({ length: connections }, run)
let begun = 0
let usage = process.cpuUsage()
setTimeout(() => {
  counting = true
  begun = performance.now()
  usage = process.cpuUsage()
}, 500)
setTimeout(
  () => {
    const took = (performance.now() - begun) / 1000
    const { user, system } = process.cpuUsage(usage)
    counting = false
    over = true
    times.sort((a, b) => a - b)
    const share = (user + system) / 1e6 / took
    const p99 = times[Math.floor(times.length * 0.99)] ?? Number.NaN
    answer({ perSecond: times.length / took, p50: median(times), p99, refused, refusal, share } satisfies Loaded)
  },
  500 + seconds * 1000,
)
await Promise.all(lanes)
