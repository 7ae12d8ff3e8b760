import { randomBytes } from 'node:crypto'
import { setTimeout as pause } from 'node:timers/promises'
import { Agent, request } from 'undici'
import * as keys from '#sql/account/keys.ts'
import { type DatabasePool, openPool } from '#sql/db.ts'
import { makeCertificate } from '../../../test/support/push-servers/certificate.ts'
import type { Benchmark } from './benchmark.ts'
import { addContacts, addSubscribers, analyze } from './campaign/fill.ts'
import { compareQuarters, type MemorySamples, sampleMemory } from './campaign/memory.ts'
import { apnsCredential, sendCampaign, sendToTopic } from './campaign/send.ts'
import type { SinkCounts, SinkPorts } from './campaign/sink.ts'
import { type Post, type StreamTimes, TransactionalStream } from './campaign/stream.ts'
import { BenchmarkWorkers } from './campaign/workers.ts'
import { startChild } from './child.ts'
import { createBenchmarkDatabase, createBenchmarkFolder } from './ground.ts'
import { makeSender } from './mail/backlog.ts'
import { startIngressProcess } from './product.ts'
import type { DeviceCounts, SinkPorts as PushSinkPorts } from './push/sink.ts'

const topic = 'news'

/** Fewer samples of memory have no quarters to compare. */
const fewestSamples = 20

/** One part of the measurement, with the transactional stream and the memory at the same time. */
interface Part<Found> {
  found: Found
  seconds: number
  kills: number
  stream: StreamTimes
  memory: MemorySamples
}

export const campaign: Benchmark = {
  summary: 'a campaign and a push to a topic, with a transactional stream, while a worker is killed again and again',
  options: {
    contacts: { about: 'confirmed contacts of the campaign', default: 1_000_000 },
    devices: { about: 'devices of the topic', default: 1_000_000 },
    idle: { about: 'seconds of the transactional stream without other work', default: 120 },
    kill: { about: 'seconds between two kills of a worker', default: 60 },
    rate: { about: 'transactional messages per second', default: 5 },
  },
  async run({ contacts = 1_000_000, devices = 1_000_000, idle = 120, kill = 60, rate = 5 }, ends) {
    const sink = startChild('campaign/sink.ts', { contacts })
    ends.defer(() => sink.end())
    const ports = await sink.next<SinkPorts>()
    const counts = async () => (await (await fetch(`http://127.0.0.1:${ports.counts}`)).json()) as SinkCounts
    const certificate = await makeCertificate({ teardown: (end) => ends.defer(end) })
    const { cert, key: certKey, caFile } = certificate
    const pushSink = startChild('push/sink.ts', { cert, key: certKey, counting: true })
    ends.defer(() => pushSink.end())
    const pushPorts = await pushSink.next<PushSinkPorts>()

    const url = await createBenchmarkDatabase(await createBenchmarkFolder(ends), ends)
    const db = await openPool(url, 4, 30_000, 600_000)
    ends.defer(() => db.end())
    const settings = {
      DATABASE_URL: url,
      SIGNING_SECRET: randomBytes(16).toString('hex'),
      MAIL_SMARTHOST: `smtp://127.0.0.1:${ports.smtp}`,
      APNS_SERVER: `https://127.0.0.1:${pushPorts.apns}`,
      PUSH_CA_FILE: caFile,
      OUTBOUND_ALLOWED: '127.0.0.1',
    }
    const sender = await makeSender(db, settings.SIGNING_SECRET)
    const ingress = await startIngressProcess(ends, settings)
    const postEmail = poster(`${ingress.base}/send/v1`, sender.key)
    const postPush = poster(`${ingress.base}/push/v1`, await createPushKey(db, sender.orgId))
    const { id: appId } = await postPush('/apps', { name: 'Shop' })
    await postPush(`/apps/${appId}/credentials/apns`, apnsCredential(), 'PUT')
    await addContacts(db, sender.orgId, contacts)
    await addSubscribers(db, appId, topic, devices)
    await analyze(db)
    tell(`${contacts} contacts and ${devices} devices stored`)

    const workers = new BenchmarkWorkers(ends, settings)
    for (const pool of ['core', 'mail-transactional', 'mail-campaign', 'push'] as const) workers.start(pool)
    const stream = new TransactionalStream(postEmail, counts, rate)
    await stream.run(AbortSignal.timeout(5_000))
    const measure = <Found>(pool: 'mail-campaign' | 'push' | undefined, work: () => Promise<Found>) =>
      beside(work, {
        stream: (signal) => stream.run(signal),
        kills: async (signal) => (pool ? await workers.killEvery(pool, kill, signal) : 0),
        memory: (signal) => sampleMemory(() => ({ ingress: ingress.pid, ...workers.pids }), signal),
      })

    const quiet = await measure(undefined, () => pause(idle * 1_000))
    tell(`idle: ${said(quiet.stream)}`)
    const mailed = await measure('mail-campaign', () => sendCampaign(db, postEmail, counts, tell))
    const mail = await counts()
    tell(`campaign: ${mailed.seconds.toFixed(1)} s, ${mailed.kills} kills, transactional ${said(mailed.stream)}`)
    const pushed = await measure('push', () => sendToTopic(db, postPush, { appId, topic }, tell))
    const received = await receivedBy(pushPorts.webpush, cert)
    tell(`push: ${pushed.seconds.toFixed(1)} s, ${pushed.kills} kills, transactional ${said(pushed.stream)}`)

    const reached = (what: string, limit: number, product: number) => ({
      what,
      unit: '',
      limit,
      product,
      demand: { atLeast: 1 },
    })
    const beforeAndDuring = (what: string, during: StreamTimes) => ({
      what: `transactional p99 from request to SMTP during ${what}; limit: idle`,
      unit: 'ms',
      limit: quiet.stream.p99,
      product: during.p99,
      demand: { atMost: 1.5 },
    })
    return {
      comparisons: [
        reached('contacts who received the campaign', contacts, mail.reached),
        reached('devices that received the push', devices, received.devices),
        reached('devices with the outcome sent', devices, pushed.found.sent),
        beforeAndDuring('the campaign', mailed.stream),
        beforeAndDuring('the push', pushed.stream),
        ...compareMemory('campaign', mailed.memory),
        ...compareMemory('push', pushed.memory),
      ],
      notes: [
        `campaign: ${Math.round(contacts / mailed.seconds)} messages/s from request to the last delivery, ${mailed.seconds.toFixed(1)} s; a worker was killed ${mailed.kills} times, and ${mail.messages - mail.reached} messages arrived twice`,
        `push: ${Math.round(devices / pushed.seconds)} devices/s, ${pushed.seconds.toFixed(1)} s; a worker was killed ${pushed.kills} times, and ${received.again.length} devices received the push twice`,
        `transactional stream of ${rate}/s: idle ${said(quiet.stream)}; during the campaign ${said(mailed.stream)}; during the push ${said(pushed.stream)}`,
        'ingress, four workers, Postgres and the receiving servers share the machine',
      ],
      rounds: { quiet, mailed, pushed, twice: mail.messages - mail.reached, again: received.again.length },
    }
  },
}

const tell = (text: string) => console.log(`  ${new Date().toISOString().slice(11, 19)} ${text}`)

const said = ({ p50, p99, acceptedP99 }: StreamTimes) =>
  `p50 ${p50.toFixed(0)} ms, p99 ${p99.toFixed(0)} ms (response: p99 ${acceptedP99.toFixed(0)} ms)`

interface Companions {
  stream(signal: AbortSignal): Promise<StreamTimes>
  kills(signal: AbortSignal): Promise<number>
  memory(signal: AbortSignal): Promise<MemorySamples>
}

/** Does the work next to its companions, which end with it. */
async function beside<Found>(work: () => Promise<Found>, companions: Companions): Promise<Part<Found>> {
  const isOver = new AbortController()
  const running = Promise.all([
    companions.stream(isOver.signal),
    companions.kills(isOver.signal),
    companions.memory(isOver.signal),
  ])
  const begun = performance.now()
  const found = await work().finally(() => isOver.abort())
  const seconds = (performance.now() - begun) / 1_000
  const [stream, kills, memory] = await running
  return { found, seconds, kills, stream, memory }
}

/** Postgres is left out, because its memory contains the cache that it shares with the operating system. */
function compareMemory(part: string, samples: MemorySamples) {
  return Object.entries(samples)
    .filter(([name, mib]) => name !== 'postgres' && mib.length >= fewestSamples)
    .map(([name, mib]) => {
      const [limit, product] = compareQuarters(mib)
      const what = `memory of ${name} in the last quarter of the ${part}, compared with the second`
      return { what, unit: 'MiB', limit, product, demand: { atMost: 1.1 } }
    })
}

async function createPushKey(db: DatabasePool, orgId: string): Promise<string> {
  const scopes = ['push:send', 'push:manage']
  return (await keys.create(db, { orgId, prefix: 'bt_live_', name: 'push', scopes })).secret
}

function poster(base: string, key: string) {
  return async (path: string, body: object, method = 'POST'): ReturnType<Post> => {
    const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' }
    const answer = await fetch(base + path, { method, headers, body: JSON.stringify(body) })
    if (!answer.ok) throw new Error(`${path}: ${answer.status} ${await answer.text()}`)
    return (await answer.json()) as { id: string }
  }
}

async function receivedBy(port: number, ca: string): Promise<DeviceCounts> {
  const dispatcher = new Agent({ connect: { ca } })
  try {
    const { body } = await request(`https://127.0.0.1:${port}/received`, { dispatcher })
    return (await body.json()) as DeviceCounts
  } finally {
    await dispatcher.close()
  }
}
