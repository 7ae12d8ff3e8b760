import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { openPool } from '#sql/db.ts'
import { preferPort } from '../../start/ports.ts'
import { type Benchmark, median } from './benchmark.ts'
import { createBenchmarkDatabase, createBenchmarkFolder } from './ground.ts'
import { makeSender } from './mail/backlog.ts'
import { buildHtml } from './mail/message.ts'
import { startIngress } from './product.ts'
import { openClient, type SubmissionClient } from './submission/client.ts'

const lanes = 16

/** Size of a message’s HTML in bytes. */
const size = 10_000

export const submission: Benchmark = {
  summary: 'email accepted by SMTP over TLS, compared with POST /messages in the same run',
  options: {
    messages: { about: 'messages of a round', default: 2_000 },
    rounds: { about: 'rounds of each', default: 3 },
  },
  async run({ messages = 2_000, rounds = 3 }, ends) {
    const folder = await createBenchmarkFolder(ends)
    const url = await createBenchmarkDatabase(folder, ends)
    const db = await openPool(url, 2)
    ends.defer(() => db.end())
    const secret = 'a secret of the benchmark, of 32 characters'
    const { key } = await makeSender(db, secret)
    const [cert, certKey] = await createCertificate(folder)
    const port = await preferPort('127.0.0.1', undefined)
    const base = await startIngress(ends, {
      DATABASE_URL: url,
      SIGNING_SECRET: secret,
      MAIL_SUBMISSIONS_PORT: String(port),
      MAIL_SUBMISSION_TLS_CERT: cert,
      MAIL_SUBMISSION_TLS_KEY: certKey,
    })
    const clients = await Promise.all(Array.from({ length: lanes }, () => openClient(port, key)))
    ends.defer(() => {
      for (const client of clients) client.close()
    })
    let sent = 0
    const byHttp = () => inLanes(messages, () => post(base, key, sent++))
    const bySmtp = () => inLanes(messages, (lane) => submit(clients[lane] as SubmissionClient, sent++))
    await byHttp()
    await bySmtp()
    const [http, smtp]: [number[], number[]] = [[], []]
    for (let round = 0; round < rounds; round++) {
      http.push(messages / (await byHttp()))
      smtp.push(messages / (await bySmtp()))
    }
    return {
      comparisons: [
        {
          what: 'messages accepted by SMTP; limit: 0.8 × POST /messages',
          unit: 'messages/s',
          limit: 0.8 * median(http),
          product: median(smtp),
          demand: { atLeast: 1 },
        },
      ],
      notes: [
        `${messages} messages of ${size / 1_000} KB per round over ${lanes} connections; POST /messages accepted ${median(http).toFixed(0)} per second; the load, the ingress and Postgres share the machine`,
      ],
      rounds: { http, smtp },
    }
  },
}

async function createCertificate(folder: string): Promise<[cert: string, key: string]> {
  const [cert, key] = [join(folder, 'submission.crt'), join(folder, 'submission.key')]
  const subject = ['-subj', '/CN=localhost', '-addext', 'subjectAltName=DNS:localhost', '-days', '2']
  const curve = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes']
  await promisify(execFile)('openssl', ['req', '-x509', ...curve, ...subject, '-keyout', key, '-out', cert])
  return [cert, key]
}

/** Returns the seconds until all messages were accepted. */
async function inLanes(count: number, send: (lane: number) => Promise<void>): Promise<number> {
  const begun = performance.now()
  let left = count
  const run = async (lane: number) => {
    while (left-- > 0) await send(lane)
  }
  await Promise.all(Array.from({ length: lanes }, (_, lane) => run(lane)))
  return (performance.now() - begun) / 1_000
}

async function post(base: string, key: string, i: number): Promise<void> {
  const answer = await fetch(`${base}/send/v1/messages`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify({
      stream: 'transactional',
      from: { email: 'orders@sender.example', name: 'Orders' },
      to: `r${i}@rcpt.example`,
      subject: `Order ${i}`,
      html: buildHtml(size, i),
      text: 'Hello',
      idempotency_key: `http-${i}`,
    }),
  })
  if (!answer.ok) throw new Error(`${answer.status} ${await answer.text()}`)
  await answer.arrayBuffer()
}

async function submit(client: SubmissionClient, i: number): Promise<void> {
  const to = `r${i}@rcpt.example`
  const mail = [
    'From: Orders <orders@sender.example>',
    `To: ${to}`,
    `Subject: Order ${i}`,
    `Message-ID: <${i}.bench@sender.example>`,
    'MIME-Version: 1.0',
    'Content-Type: multipart/alternative; boundary=parts',
    '',
    '--parts\r\nContent-Type: text/plain\r\n\r\nHello',
    `--parts\r\nContent-Type: text/html\r\n\r\n${buildHtml(size, i).replaceAll('><', '>\r\n<')}`,
    '--parts--',
  ]
  await client.send('orders@sender.example', to, mail.join('\r\n'))
}
