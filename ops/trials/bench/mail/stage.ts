/** A process that builds, signs and sends messages over several sessions like a worker, but without a database. */
import { createPrivateKey } from 'node:crypto'
import { setTimeout as pause } from 'node:timers/promises'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { newId } from '#lib/ids.ts'
import type { Message } from '#sql/email/messages.ts'
import { createLetterRequest } from '#tasks/email/rules/delivery/letters.ts'
import { buildBody } from '../../../../workers/mail/letter/body.ts'
import { compose } from '../../../../workers/mail/letter/letter.ts'
import { Session } from '../../../../workers/mail/smtp/session.ts'
import { sendResult } from '../child.ts'
import { buildHtml, createDomainKeys } from './message.ts'

export interface StageSettings {
  port: number
  messages: number
  connections: number
  bytes: number
  dual: boolean
  shared: boolean
}

export interface StageResult {
  seconds: number
  cpuSeconds: number
  resident: number
  /** Memory in MiB after garbage collection: before the run, after a tenth of it, and at its end. */
  held: [number, number]
}

const { port, messages, connections, bytes, dual, shared } = JSON.parse(process.argv[2] ?? '{}') as StageSettings
const pems = createDomainKeys()
const rsa = { selector: 'rsa', algorithm: 'rsa-sha256' as const, key: createPrivateKey(pems.rsa) }
const ed = { selector: 'ed', algorithm: 'ed25519-sha256' as const, key: createPrivateKey(pems.ed) }
const sender = { domain: 'sender.example', returnPath: 'bounce.sender.example', keys: dual ? [rsa, ed] : [rsa] }
const installation = { hostname: 'mail.example', origin: 'https://mail.example', secret: 'of the benchmark' }
const orgId = newId()

const contentOf = (seed: number) => ({
  html: buildHtml(bytes, seed),
  text: 'Hello',
  attachments: [],
  headers: {},
  reply_to: null,
})
const one = await buildBody(contentOf(0))

async function letterOf(i: number) {
  const id = newId()
  const content = contentOf(i)
  const message = {
    id,
    org_id: orgId,
    stream: 'transactional',
    campaign_id: null,
    from_email: 'hello@sender.example',
    from_name: 'Sender',
    to_email: `r${i}@rcpt.example`,
    subject: `Grüße ${i}`,
    message_id: `${id}@sender.example`,
    created_at: new Date(),
  } as unknown as Message
  const request = createLetterRequest(message, content as never, sender, installation)
  return await compose(request, shared ? one : await buildBody(content))
}

const peer = { host: 'localhost', address: '127.0.0.1', port }
const manner = { localAddress: '', name: 'bench.example', tls: 'none' as const }
setFlagsFromString('--expose-gc')
const collect = runInNewContext('gc') as () => void
/** Excludes V8's young generation, which grows with the allocations of a run, and memory that malloc keeps. */
async function held(): Promise<number> {
  // Buffers that the first collection releases are freed asynchronously.
  for (let i = 0; i < 3; i++) {
    collect()
    await pause(100)
  }
  const { heapUsed, external } = process.memoryUsage()
  return (heapUsed + external) / 2 ** 20
}
let next = 0

async function sendAll(until: number): Promise<void> {
  const session = await Session.open(peer, manner, new AbortController().signal)
  let letter = letterOf(next)
  while (next++ < until) {
    const ready = await letter
    letter = letterOf(next)
    const { outcome } = await session.send(ready)
    if (outcome !== 'accepted') throw new Error(`a message was ${outcome}`)
  }
  await letter
  session.close()
}

const run = (until: number) => {
  next = 0
  return Promise.all(Array.from({ length: connections }, () => sendAll(until)))
}
await run(Math.max(400, messages / 10))
const early = await held()
const [begun, cpu] = [performance.now(), process.cpuUsage()]
await run(messages)
const spent = process.cpuUsage(cpu)
const seconds = (performance.now() - begun) / 1_000
sendResult({
  seconds,
  cpuSeconds: (spent.user + spent.system) / 1e6,
  resident: process.memoryUsage().rss / 2 ** 20,
  held: [early, await held()],
} satisfies StageResult)
process.exit(0)
