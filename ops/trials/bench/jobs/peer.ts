/** Another queue that calls the same server. Its package is installed in the benchmark's folder. */
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { pathToFileURL } from 'node:url'
import { Agent, request } from 'undici'
import { sendResult } from '../child.ts'

export interface PeerSettings {
  kind: 'pg-boss' | 'bullmq'
  folder: string
  url: string
  redisPort: number
  target: string
  jobs: number
  perSecond: number
  seconds: number
}

interface Call {
  path: string
  id?: string
}

interface Peer {
  addMany(calls: Call[]): Promise<void>
  add(call: Call): Promise<void>
  work(call: (data: Call) => Promise<void>): Promise<void>
}

/** Times when the paced jobs were accepted, by job, in milliseconds since 1970. */
export interface PeerResult {
  accepted: Record<string, number>
}

const settings = JSON.parse(process.argv[2] ?? '{}') as PeerSettings
const { kind, target, jobs, perSecond, seconds } = settings
const dispatcher = new Agent({ connections: 128 })
const now = () => performance.timeOrigin + performance.now()

async function call({ path, id = '' }: Call): Promise<void> {
  const answer = await request(target + path, {
    ...{ method: 'POST', dispatcher, body: '{"text":"hello"}' },
    headers: { 'content-type': 'application/json', 'x-job': id },
  })
  await answer.body.dump()
}

const peer = kind === 'pg-boss' ? await openPgBoss() : await openBullmq()
for (let left = jobs; left > 0; left -= 1_000)
  await peer.addMany(Array.from({ length: Math.min(left, 1_000) }, () => ({ path: '/drain' })))
sendResult('filled')
await peer.work(call)
await new Promise<void>((resolve) => process.once('SIGUSR2', resolve))
const accepted: Record<string, number> = {}
const begun = performance.now()
const sent: Promise<unknown>[] = []
for (let i = 0; i < seconds * perSecond; i++) {
  const due = begun + (i * 1_000) / perSecond
  await pause(Math.max(0, due - performance.now()))
  const id = `${kind}-${i}`
  sent.push(
    peer.add({ path: '/paced', id }).then(() => {
      accepted[id] = now()
    }),
  )
}
await Promise.all(sent)
sendResult({ accepted } satisfies PeerResult)
await new Promise(() => {})

async function load(name: string) {
  const require = createRequire(pathToFileURL(join(settings.folder, 'package.json')))
  return await import(pathToFileURL(require.resolve(name)).href)
}

async function openPgBoss(): Promise<Peer> {
  const { default: PgBoss } = await load('pg-boss')
  const boss = new PgBoss(settings.url)
  boss.on('error', () => {})
  await boss.start()
  await boss.createQueue('calls')
  return {
    addMany: (calls) => boss.insert(calls.map((data) => ({ name: 'calls', data }))),
    add: (data) => boss.send('calls', data),
    async work(run) {
      const options = { batchSize: 125, pollingIntervalSeconds: 0.5 }
      for (let loop = 0; loop < 4; loop++)
        await boss.work('calls', options, (batch: { data: Call }[]) => Promise.all(batch.map(({ data }) => run(data))))
    },
  }
}

async function openBullmq(): Promise<Peer> {
  const { Queue, Worker } = await load('bullmq')
  const connection = { host: '127.0.0.1', port: settings.redisPort, maxRetriesPerRequest: null }
  const queue = new Queue('calls', { connection, defaultJobOptions: { removeOnComplete: true } })
  return {
    addMany: (calls) => queue.addBulk(calls.map((data) => ({ name: 'call', data }))),
    add: (data) => queue.add('call', data),
    async work(run) {
      new Worker('calls', (job: { data: Call }) => run(job.data), { connection, concurrency: 128 })
    },
  }
}
