import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { setTimeout as pause } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { z } from 'zod'
import { childEnvironment } from '#lib/config.ts'
import { openPool, sql } from '#sql/db.ts'
import { killWithParent } from '../../start/supervise.ts'
import { type Benchmark, CannotMeasureError, median } from './benchmark.ts'
import { runChild } from './child.ts'
import { createBenchmarkDatabase, createBenchmarkFolder } from './ground.ts'
import { makeSender } from './mail/backlog.ts'
import { startSink } from './mail/sink.ts'
import type { StageResult, StageSettings } from './mail/stage.ts'

const connections = 10
/** Size of the HTML in bytes: 10 KB, which become 12.7 KB as quoted-printable with headers. */
const bytes = 10_000
const onTheWire = 12_700

type Side = 'smtp-source' | 'nodemailer' | 'stage' | 'shared' | 'worker'

export const mail: Benchmark = {
  summary: 'messages per second of one mail worker, compared with smtp-source and nodemailer, into smtp-sink',
  options: {
    messages: { about: 'messages in a round', default: 5_000 },
    rounds: { about: 'rounds per side', default: 3 },
  },
  async run({ messages = 5_000, rounds = 3 }, ends) {
    const port = await startSink(ends)
    const url = await createBenchmarkDatabase(await createBenchmarkFolder(ends), ends)
    const db = await openPool(url, 4)
    ends.defer(() => db.end())
    const secret = 'a secret of the benchmark, of 32 characters'
    const { fill } = await makeSender(db, secret)
    const found: Record<Side, number[]> = { 'smtp-source': [], nodemailer: [], stage: [], shared: [], worker: [] }
    const cpu: number[] = []
    const grown: number[] = []
    const resident: number[] = []
    const settings: StageSettings = { port, messages, connections, bytes, dual: true, shared: false }
    const staged = async (given: Partial<StageSettings>) => {
      const run = await runChild<StageResult>('./mail/stage.ts', { ...settings, ...given })
      grown.push(run.held[1] / run.held[0])
      resident.push(run.resident)
      return run
    }
    const measure: Record<Side, () => Promise<number>> = {
      'smtp-source': () => timed(() => source(port, 4 * messages)).then((seconds) => (4 * messages) / seconds),
      nodemailer: async () => messages / (await runChild<{ seconds: number }>('./mail/plain.ts', settings)).seconds,
      stage: async () => {
        const { seconds, cpuSeconds } = await staged({})
        cpu.push((cpuSeconds / messages) * 1e3)
        return messages / seconds
      },
      shared: async () => messages / (await staged({ shared: true })).seconds,
      worker: async () => {
        await fill(messages, bytes)
        return messages / (await drain(url, secret, port, db))
      },
    }
    for (let round = 0; round < rounds; round++) {
      const order = Object.keys(measure) as Side[]
      if (round % 2 === 1) order.reverse()
      for (const side of order) {
        const rate = await measure[side]()
        found[side].push(rate)
        console.log(`  ${side}: ${Math.round(rate).toLocaleString('en')} messages/s`)
      }
    }
    const rate = (side: Side) => median(found[side])
    const compare = (what: string, limit: number, product: number, atLeast: number) => ({
      what,
      unit: 'messages/s',
      limit,
      product,
      demand: { atLeast },
    })
    return {
      comparisons: [
        compare('made, signed, sent; limit: 800', 800, rate('stage'), 1),
        compare('the same compared with nodemailer, only RSA', rate('nodemailer'), rate('stage'), 1),
        compare('the same compared with smtp-source', rate('smtp-source'), rate('stage'), 0.06),
        compare('with the same content, as in a campaign', rate('stage'), rate('shared'), 1.2),
        compare('by a worker with its database; limit: 800', 800, rate('worker'), 1),
        {
          what: 'memory held, early and late',
          unit: 'of it',
          limit: 1,
          product: median(grown),
          demand: { atMost: 1.1 },
        },
      ],
      notes: [
        `medians of ${rounds} rounds of ${messages} messages of 10 KB over ${connections} connections on loopback, signed with RSA-2048 and Ed25519`,
        `CPU per message to build, sign and send: ${median(cpu).toFixed(2)} ms; smtp-source sends one text of the same size, unsigned`,
        `resident at the end: ${Math.round(median(resident))} MiB`,
      ],
      rounds: found,
    }
  },
}

async function timed(work: () => Promise<unknown>): Promise<number> {
  const begun = performance.now()
  await work()
  return (performance.now() - begun) / 1_000
}

const source = (port: number, messages: number) =>
  promisify(execFile)('/usr/sbin/smtp-source', [
    ...['-s', String(connections), '-m', String(messages), '-l', String(onTheWire), '-d'],
    ...['-f', 'hello@sender.example', '-t', 'r@rcpt.example', `127.0.0.1:${port}`],
  ])

const RemainingCount = z.object({ count: z.number() })

/** Starts a worker on the waiting messages. Returns the seconds from its first message to its last. */
async function drain(
  url: string,
  secret: string,
  port: number,
  db: Awaited<ReturnType<typeof openPool>>,
): Promise<number> {
  const program = fileURLToPath(new URL('../../../workers/main.ts', import.meta.url))
  const { file, args } = killWithParent(process.execPath, program, '--pools', 'mail-transactional')
  const env = childEnvironment({
    DATABASE_URL: url,
    SIGNING_SECRET: secret,
    MAIL_SMARTHOST: `smtp://127.0.0.1:${port}`,
    S3_ENDPOINT: 'http://127.0.0.1:9',
    S3_ACCESS_KEY: 'unused',
    S3_SECRET_KEY: 'unused',
    S3_BUCKET: 'unused',
    LOG_LEVEL: 'warn',
  })
  const worker = spawn(file, args, { stdio: ['ignore', 'ignore', 'inherit'], env })
  const ended = once(worker, 'exit')
  let isOver = false
  void ended.then(() => {
    isOver = true
  })
  const waits = async () => {
    if (isOver) throw new CannotMeasureError('The mail worker exited.')
    return await left()
  }
  const left = () => db.oneFirst(sql.type(RemainingCount)`select count(*) from email.deliveries`)
  try {
    const all = await waits()
    let before = all
    while (before === all) {
      await pause(20)
      before = await waits()
    }
    const begun = performance.now()
    while ((await waits()) > 0) await pause(50)
    // Extrapolates to all messages.
    return ((performance.now() - begun) / 1_000) * (all / before)
  } finally {
    worker.kill('SIGTERM')
    await ended
  }
}
