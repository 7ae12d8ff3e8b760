/** Sends one request after another on each connection. Reports how many were accepted and how fast. */
import { connect, type Socket } from 'node:net'
import { sendResult } from '../child.ts'
import { Tally } from '../tally.ts'

export interface LoadSettings {
  port: number
  path: string
  key: string
  connections: number
  /** Duration in seconds. The first half second is not counted. */
  seconds: number
}

const { port, path, key, connections, seconds } = JSON.parse(process.argv[2] ?? '{}') as LoadSettings
const body = JSON.stringify({ text: 'a note of some length, as notes are', urgent: false })
const request = Buffer.from(
  `POST ${path} HTTP/1.1\r\nhost: 127.0.0.1:${port}\r\nauthorization: Bearer ${key}\r\n` +
    `content-type: application/json\r\ncontent-length: ${Buffer.byteLength(body)}\r\n\r\n${body}`,
)
const tally = new Tally()

/** Returns the length of the complete response at the start of `text`. `undefined` if its head is incomplete. */
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
    if (tally.over) return socket.end()
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
    const answered = heard.slice(0, length)
    if (answered.startsWith('HTTP/1.1 202')) tally.took(performance.now() - sent)
    else tally.refused(() => answered)
    heard = heard.slice(length)
    send()
  })
  await closed.promise
}

const lanes = Array.from({ length: connections }, run)
sendResult(await tally.count(seconds))
await Promise.all(lanes)
