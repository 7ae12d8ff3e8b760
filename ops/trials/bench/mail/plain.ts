/** A process that sends the same messages only with nodemailer's pool, signed by nodemailer with RSA. */
import { createPrivateKey } from 'node:crypto'
import { createTransport } from 'nodemailer'
import { sendResult } from '../child.ts'
import { buildHtml, createDomainKeys } from './message.ts'
import type { StageSettings } from './stage.ts'

const { port, messages, connections, bytes } = JSON.parse(process.argv[2] ?? '{}') as StageSettings
const privateKey = createPrivateKey(createDomainKeys().rsa)
const transport = createTransport({
  pool: true,
  host: '127.0.0.1',
  port,
  name: 'bench.example',
  ignoreTLS: true,
  maxConnections: connections,
  maxMessages: Number.POSITIVE_INFINITY,
  // nodemailer would parse a key that is a string again for every message.
  dkim: { domainName: 'sender.example', keySelector: 'rsa', privateKey: privateKey as never },
})

let next = 0
async function sendAll(until: number): Promise<void> {
  while (next++ < until) {
    const i = next
    await transport.sendMail({
      from: { name: 'Sender', address: 'hello@sender.example' },
      to: { name: '', address: `r${i}@rcpt.example` },
      subject: `Grüße ${i}`,
      text: 'Hello',
      html: buildHtml(bytes, i),
    })
  }
}

const run = (until: number) => {
  next = 0
  return Promise.all(Array.from({ length: 2 * connections }, () => sendAll(until)))
}
await run(400)
const [begun, cpu] = [performance.now(), process.cpuUsage()]
await run(messages)
const spent = process.cpuUsage(cpu)
sendResult({
  seconds: (performance.now() - begun) / 1_000,
  cpuSeconds: (spent.user + spent.system) / 1e6,
})
process.exit(0)
