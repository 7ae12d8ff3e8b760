/** Sends checks at a steady rate over kept connections, regardless of response times. Reports the response times. */
import { connect } from 'node:net'
import { runEvery } from '#lib/every.ts'
import { sendResult } from '../child.ts'
import { Tally } from '../tally.ts'

export interface LoadSettings {
  port: number
  key: string
  perSecond: number
  connections: number
  /** Duration in seconds. The first half second is not counted. */
  seconds: number
  /** `host-0.example` up to this number are listed. */
  listed: number
}

const settings = JSON.parse(process.argv[2] ?? '{}') as LoadSettings
const { port, key, perSecond, connections, seconds, listed } = settings
const tally = new Tally()
const waiting: { text: string; at: number }[] = []
const free: (() => void)[] = []
let made = 0

/**
 * One in ten is listed. All have a host of four labels, a folder and a query, so each check looks up ten expressions or
 * more.
 */
function request(): string {
  const host = made % 10 === 0 ? `host-${(made * 7919) % listed}.example` : `a${made}.clean-${made % 977}.example`
  const body = JSON.stringify({ url: `https://www.${host}/folder/${made++}/page.html?session=${made}` })
  return `POST /v1/trust/check-url HTTP/1.1\r\nhost: 127.0.0.1:${port}\r\nauthorization: Bearer ${key}\r\ncontent-type: application/json\r\ncontent-length: ${Buffer.byteLength(body)}\r\n\r\n${body}`
}

function open(): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>()
  const socket = connect({ port, host: '127.0.0.1', noDelay: true })
  let [sent, heard] = [0, '']
  const next = () => {
    const one = waiting.shift()
    if (!one) return void free.push(next)
    sent = one.at
    socket.write(one.text)
  }
  socket.setEncoding('latin1').on('connect', next).on('close', resolve).on('error', reject)
  socket.on('data', (chunk: string) => {
    heard += chunk
    const head = heard.indexOf('\r\n\r\n')
    const [, length = '0'] = /\r\ncontent-length: (\d+)/i.exec(heard) ?? []
    if (head === -1 || heard.length < head + 4 + Number(length)) return
    const answered = heard
    heard = ''
    if (answered.startsWith('HTTP/1.1 200')) tally.took(performance.now() - sent)
    else tally.refused(() => answered)
    if (tally.over) socket.end()
    else next()
  })
  ends.push(() => socket.end())
  return promise
}

const ends: (() => void)[] = []
const lanes = Array.from({ length: connections }, open)
const begun = performance.now()
const clock = runEvery(
  1,
  async () => {
    const at = performance.now()
    while (made < ((at - begun) / 1000) * perSecond) {
      waiting.push({ text: request(), at })
      free.shift()?.()
    }
  },
  (error) => {
    throw error
  },
)
sendResult(await tally.count(seconds))
await clock.stop()
for (const end of ends) end()
await Promise.all(lanes)
