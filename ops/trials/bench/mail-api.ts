import { setTimeout as pause } from 'node:timers/promises'
import { z } from 'zod'
import { type DatabasePool, openPool, sql } from '#sql/db.ts'
import type { Benchmark } from './benchmark.ts'
import { createBenchmarkDatabase, createBenchmarkFolder } from './ground.ts'
import { makeSender } from './mail/backlog.ts'
import { buildHtml } from './mail/message.ts'
import { startSink } from './mail/sink.ts'
import { startIngress, startWorker } from './product.ts'

/** Number of messages per second of the steady load, and duration of the measurement in seconds. */
const paced = { rate: 40, seconds: 20 }

export const mailApi: Benchmark = {
  summary:
    'email from POST /messages to smtp-sink: a burst, batches, a steady load with and without a campaign, and a contact import',
  options: {
    messages: { about: 'messages of the burst', default: 5_000 },
    contacts: { about: 'contacts of the campaign', default: 100_000 },
  },
  async run({ messages = 5_000, contacts = 100_000 }, ends) {
    const sink = await startSink(ends)
    const url = await createBenchmarkDatabase(await createBenchmarkFolder(ends), ends)
    const db = await openPool(url, 4)
    ends.defer(() => db.end())
    const secret = 'a secret of the benchmark, of 32 characters'
    const { orgId, key } = await makeSender(db, secret)
    const api = await startProduct(ends, { url, secret, sink })
    const post = poster(api, key)

    await burst(post, 200)
    const seconds = await burst(post, messages)
    await drained(db)
    const rate = await throughput(db, messages)
    const batched = await batches(post, messages)
    await drained(db)
    const idle = await steady(post, db)
    await addContacts(db, orgId, contacts)
    const campaign = await post('/campaigns', {
      name: 'bench',
      subject: 'News',
      html: buildHtml(10_000, 0),
      from_email: 'news@sender.example',
    })
    const imported = await importing(post)
    const begun = performance.now()
    await post(`/campaigns/${campaign.id}/send`, {})
    const beside = await steady(post, db)
    const went = (await sentOf(db, campaign.id)) / ((performance.now() - begun) / 1_000)
    return {
      comparisons: [
        { what: 'API to receiver; limit: 400', unit: 'messages/s', limit: 400, product: rate, demand: { atLeast: 1 } },
        {
          what: 'messages accepted in batches of 100; limit: 3 × single sends',
          unit: 'messages/s',
          limit: (3 * messages) / seconds,
          product: messages / batched,
          demand: { atLeast: 1 },
        },
        {
          what: 'steady load, p99; limit: idle + 1 s',
          unit: 'ms',
          limit: idle.p99 + 1_000,
          product: beside.p99,
          demand: { atMost: 1 },
        },
        {
          what: 'import of 10,000 contacts; limit: 2 s',
          unit: 'ms',
          limit: 2_000,
          product: imported,
          demand: { atMost: 1 },
        },
      ],
      notes: [
        `a burst of ${messages} messages of 10 KB was accepted in ${seconds.toFixed(1)} s over 16 connections, in batches of 100 in ${batched.toFixed(1)} s; ingress, a worker for each mail pool, Postgres and smtp-sink share the machine`,
        `acceptance to receiver at ${paced.rate}/s: idle p50 ${idle.p50.toFixed(0)} ms, p99 ${idle.p99.toFixed(0)} ms; during a campaign to ${contacts} p50 ${beside.p50.toFixed(0)} ms, p99 ${beside.p99.toFixed(0)} ms, while ${went.toFixed(0)} of its messages per second were sent`,
      ],
      rounds: { idle: [idle.p50, idle.p99], beside: [beside.p50, beside.p99] },
    }
  },
}

type Post = (path: string, body: object) => Promise<{ id: string }>

function poster(base: string, key: string): Post {
  return async (path, body) => {
    const answer = await fetch(`${base}/send/v1${path}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    })
    if (!answer.ok) throw new Error(`${path}: ${answer.status} ${await answer.text()}`)
    return (await answer.json()) as { id: string }
  }
}

const message = (i: number, bytes: number) => ({
  stream: 'transactional',
  from: { email: 'orders@sender.example', name: 'Orders' },
  to: `r${i}@rcpt.example`,
  subject: `Order ${i}`,
  html: buildHtml(bytes, i),
  text: 'Hello',
})

async function burst(post: Post, messages: number): Promise<number> {
  const begun = performance.now()
  let next = 0
  const lane = async () => {
    while (next < messages) await post('/messages', message(next++, 10_000))
  }
  await Promise.all(Array.from({ length: 16 }, lane))
  return (performance.now() - begun) / 1_000
}

/**
 * Posts the same in batches of 100 over 4 connections, the maximum of an organisation. Returns the seconds until the
 * last was accepted.
 */
async function batches(post: Post, count: number): Promise<number> {
  const size = 100
  const begun = performance.now()
  let next = 0
  const lane = async () => {
    while (next < count) {
      const from = next
      next += size
      const messages = Array.from({ length: Math.min(size, count - from) }, (_, i) => message(from + i, 10_000))
      await post('/messages/batch', { messages })
    }
  }
  await Promise.all(Array.from({ length: 4 }, lane))
  return (performance.now() - begun) / 1_000
}

async function importing(post: Post): Promise<number> {
  const contacts = Array.from({ length: 10_000 }, (_, i) => ({ email: `person.${i}@imported.example` }))
  const begun = performance.now()
  await post('/contacts/import', { contacts })
  return performance.now() - begun
}

const Count = z.object({ count: z.number() })

async function drained(db: DatabasePool): Promise<void> {
  while ((await db.oneFirst(sql.type(Count)`select count(*) from email.deliveries`)) > 0) await pause(50)
}

async function throughput(db: DatabasePool, messages: number): Promise<number> {
  const Duration = z.object({ seconds: z.number() })
  const seconds = await db.oneFirst(sql.type(Duration)`
    select extract(epoch from max(sent_at) - min(created_at))::float8 as seconds
    from (select sent_at, created_at from email.messages order by id desc limit ${messages}) as m`)
  return messages / seconds
}

const Quantiles = z.object({ p50: z.number(), p99: z.number() })

async function steady(post: Post, db: DatabasePool): Promise<z.infer<typeof Quantiles>> {
  const posted: Promise<{ id: string }>[] = []
  const begun = performance.now()
  for (let i = 0; i < paced.rate * paced.seconds; i++) {
    await pause(Math.max(0, begun + (i * 1_000) / paced.rate - performance.now()))
    posted.push(post('/messages', message(i, 2_000)))
  }
  const ids = (await Promise.all(posted)).map(({ id }) => id)
  const mine = sql.fragment`id = any(${sql.array(ids, 'uuid')})`
  const left = () => db.oneFirst(sql.type(Count)`select count(*) from email.messages where ${mine} and sent_at is null`)
  while ((await left()) > 0) await pause(50)
  const took = sql.fragment`extract(epoch from sent_at - created_at)::float8 * 1000`
  return await db.one(sql.type(Quantiles)`
    select percentile_cont(0.5) within group (order by ${took}) as p50,
      percentile_cont(0.99) within group (order by ${took}) as p99
    from email.messages where ${mine}`)
}

async function addContacts(db: DatabasePool, orgId: string, count: number): Promise<void> {
  await db.query(sql.typeAlias('void')`
    insert into email.contacts (id, org_id, email, status, confirmed_at)
    select gen_random_uuid(), ${orgId}, 'c' || n || '@d' || n % 500 || '.example', 'confirmed', now()
    from generate_series(1, ${count}::integer) as n`)
}

const sentOf = (db: DatabasePool, campaignId: string) =>
  db.oneFirst(sql.type(Count)`
    select count(*) from email.messages where campaign_id = ${campaignId} and sent_at is not null`)

async function startProduct(
  ends: AsyncDisposableStack,
  { url, secret, sink }: { url: string; secret: string; sink: number },
): Promise<string> {
  const settings = { DATABASE_URL: url, SIGNING_SECRET: secret, MAIL_SMARTHOST: `smtp://127.0.0.1:${sink}` }
  startWorker(ends, settings, 'mail-transactional')
  startWorker(ends, settings, 'mail-campaign')
  return await startIngress(ends, settings)
}
