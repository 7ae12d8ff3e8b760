import { setTimeout as pause } from 'node:timers/promises'
import { createOrg } from '#sql/account/setup.ts'
import { openPool } from '#sql/db.ts'
import { preferPort } from '../../start/ports.ts'
import type { Benchmark } from './benchmark.ts'
import { createBenchmarkDatabase, createBenchmarkFolder } from './ground.ts'
import { type Input, inputs } from './hostile/inputs.ts'
import { sendEmail } from './hostile/mail.ts'
import { prepareInputs } from './hostile/prepared.ts'
import { measureWithSilentServers } from './hostile/silent.ts'
import { makeSender } from './mail/backlog.ts'
import { startSink } from './mail/sink.ts'
import { startIngress, startWorker } from './product.ts'

/** Number of requests per second of the other organisation, and maximum increase of its p99 in milliseconds. */
const perSecond = 50
const mostMore = 50

const host = 'mail.bench.example'

const mostInputs = 100

export const hostile: Benchmark = {
  summary: 'p99 of another client’s requests during expensive inputs, divided by its p99 without them',
  options: {
    seconds: { about: 'seconds of measurement per input', default: 4 },
    times: { about: 'number of times each input is sent', default: 3 },
    most: { about: 'maximum number of inputs', default: mostInputs },
  },
  async run({ seconds = 4, times = 3, most = mostInputs }, ends) {
    const sink = await startSink(ends)
    const url = await createBenchmarkDatabase(await createBenchmarkFolder(ends), ends)
    const db = await openPool(url, 2)
    ends.defer(() => db.end())
    const secret = 'a secret of the benchmark, of 32 characters'
    const { key: sender, orgId } = await makeSender(db, secret)
    const scopes = ['trust:read', 'wiki:write', 'wiki:read']
    const { keys: others } = await createOrg(db, 'hostile', 'unlimited', { main: { prefix: 'bt_live_', scopes } })
    const neighbour = await createOrg(db, 'neighbour', 'unlimited', {
      main: { prefix: 'snd_live_', scopes: ['email:send'] },
    })
    const mailPort = await preferPort('127.0.0.1', undefined)
    const settings = { DATABASE_URL: url, SIGNING_SECRET: secret, MAIL_HOSTNAME: host }
    startWorker(ends, { ...settings, MAIL_SMARTHOST: `smtp://127.0.0.1:${sink}` }, 'mail-transactional', 'core')
    const base = await startIngress(ends, { ...settings, MAIL_INBOUND_PORT: String(mailPort) })
    const ask = () =>
      fetch(`${base}/send/v1/messages?limit=1`, { headers: { authorization: `Bearer ${neighbour.keys.main}` } })
    const send = (input: Input) =>
      'mail' in input.request
        ? sendEmail(mailPort, `abuse@${host}`, input.request.mail)
        : post(base, input.request, input.request.path.startsWith('/send') ? sender : others.main)

    const made = {
      secret,
      orgId,
      post: (path: string, body: unknown) => post(base, { path, body: JSON.stringify(body) }, sender),
    }
    const prepared = most > inputs.length ? await prepareInputs(db, made) : []
    const all = [...inputs, ...prepared].slice(0, most)
    await measure(ask, seconds)
    const idle = await measure(ask, 2 * seconds)
    const rounds: Record<string, number> = {}
    for (const input of all) {
      let answered = ''
      const sending = (async () => {
        for (let n = 0; n < times; n++) answered = await send(input).catch((error: Error) => error.message)
      })()
      const p99 = await measure(ask, seconds)
      await Promise.race([sending, pause(20_000)])
      rounds[input.name] = p99
      console.log(`  ${input.name}: p99 ${p99.toFixed(0)} ms; answered ${answered.slice(0, 60)}`)
    }
    const silent = await measureWithSilentServers(secret, 2 * seconds, ends)
    for (const { name, idle, beside } of silent)
      console.log(`  ${name}: ${told(beside)} with silent servers, ${told(idle)} without`)
    const [worst = '', product = 0] = Object.entries(rounds).toSorted(([, a], [, b]) => b - a)[0] ?? []
    return {
      comparisons: [
        {
          what: `other client's p99 during the worst of ${all.length}, ${worst}; limit: idle + ${mostMore} ms`,
          unit: 'ms',
          limit: idle + mostMore,
          product,
          demand: { atMost: 1 },
        },
        ...silent.map(({ name, idle, beside }) => ({
          what: `${name} with 1,500 silent push endpoints, 60 sources and webhooks, p99; limit: idle + ${mostMore} ms`,
          unit: 'ms',
          limit: idle.p99 + mostMore,
          product: beside.p99,
          demand: { atMost: 1 },
        })),
      ],
      notes: [
        `the other client lists its messages ${perSecond} times per second; without inputs its p99 is ${idle.toFixed(0)} ms`,
        `each input is sent ${times} times in sequence during a measurement of ${seconds} s`,
      ],
      rounds: { ...rounds, silent },
    }
  },
}

const told = ({ p50, p99 }: { p50: number; p99: number }) => `p50 ${p50.toFixed(0)} ms, p99 ${p99.toFixed(0)} ms`

async function post(base: string, request: Exclude<Input['request'], { mail: string }>, key: string): Promise<string> {
  const { method = 'POST', path, headers = {}, body } = request
  const given = { authorization: `Bearer ${key}`, 'content-type': 'application/json', ...headers }
  const reply = await fetch(base + path, { method, headers: given, ...(body !== undefined && { body }) })
  await reply.arrayBuffer()
  return String(reply.status)
}

/** Returns the p99 of requests at a steady rate in milliseconds. Infinite if more than one in a hundred is rejected. */
async function measure(ask: () => Promise<Response>, seconds: number): Promise<number> {
  const times: number[] = []
  const begun = performance.now()
  const all = Array.from({ length: perSecond * seconds }, async (_, i) => {
    const due = begun + (i * 1_000) / perSecond
    await pause(Math.max(0, due - performance.now()))
    const asked = performance.now()
    const isOk = await ask().then(
      async (reply) => {
        await reply.arrayBuffer()
        return reply.ok
      },
      () => false,
    )
    // A rejected request counts as infinitely slow.
    times.push(isOk ? performance.now() - asked : Number.POSITIVE_INFINITY)
  })
  await Promise.all(all)
  return times.toSorted((a, b) => a - b)[Math.floor(times.length * 0.99)] ?? 0
}
