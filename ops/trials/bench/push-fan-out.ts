import { generateKeyPairSync, randomBytes } from 'node:crypto'
import { setTimeout as pause } from 'node:timers/promises'
import { Agent, request } from 'undici'
import { z } from 'zod'
import { createOrg } from '#sql/account/setup.ts'
import { type DatabasePool, openPool, sql } from '#sql/db.ts'
import { makeCertificate } from '../../../test/support/push-servers/certificate.ts'
import type { Benchmark } from './benchmark.ts'
import { startChild } from './child.ts'
import { createBenchmarkDatabase, createBenchmarkFolder } from './ground.ts'
import { startIngress, startWorker } from './product.ts'
import type { DeviceCounts, SinkPorts } from './push/sink.ts'

const providers = ['apns', 'fcm', 'webpush', 'sse'] as const

export const pushFanOut: Benchmark = {
  summary: 'one message to devices of four providers: pushes per second, and results when workers are killed twice',
  options: { devices: { about: 'devices of the person', default: 100_000 } },
  async run({ devices = 100_000 }, ends) {
    const certificate = await makeCertificate({ teardown: (end) => ends.defer(end) })
    const { cert, key, caFile } = certificate
    const sink = startChild('push/sink.ts', { cert, key, counting: true })
    ends.defer(() => sink.end())
    const ports = await sink.next<SinkPorts>()
    const url = await createBenchmarkDatabase(await createBenchmarkFolder(ends), ends)
    const db = await openPool(url, 4)
    ends.defer(() => db.end())
    const settings = {
      DATABASE_URL: url,
      SIGNING_SECRET: randomBytes(16).toString('hex'),
      APNS_SERVER: `https://127.0.0.1:${ports.apns}`,
      FCM_SERVER: `https://127.0.0.1:${ports.fcm}`,
      PUSH_CA_FILE: caFile,
      OUTBOUND_ALLOWED: '127.0.0.1',
    }
    const { keys } = await createOrg(db, 'bench', 'unlimited', {
      main: { prefix: 'bt_live_', scopes: ['push:send', 'push:manage'] },
    })
    const api = await startIngress(ends, settings)
    const post = poster(api, keys.main)
    const { id: appId } = await post('POST', '/apps', { name: 'Shop' })
    let worker = startWorker(ends, settings, 'push')
    await post('PUT', `/apps/${appId}/credentials/apns`, apnsForm())
    await post('PUT', `/apps/${appId}/credentials/fcm`, { service_account: serviceAccount() })
    await addDevices(db, { appId, person: 'quiet', devices, port: ports.webpush })
    await addDevices(db, { appId, person: 'killed', devices, port: ports.webpush })

    const send = async (person: string) =>
      (await post('POST', '/messages', { app_id: appId, target: { type: 'user', id: person }, title: 'Hello' })).id
    const quiet = await ended(db, await send('quiet'))
    await addSubscribers(db, { appId, person: 'crowd', devices, port: ports.webpush })
    const news = { app_id: appId, target: { type: 'topic', id: 'news' }, title: 'Hello' }
    const topic = await ended(db, (await post('POST', '/messages', news)).id)

    const messageId = await send('killed')
    for (const share of [0.25, 0.6]) {
      await until(async () => (await terminal(db, messageId)) > share * devices)
      await worker.kill()
      worker = startWorker(ends, settings, 'push')
    }
    const killed = await ended(db, messageId)
    const outcomes = (await terminal(db, messageId)) - (await sentTwice(db, messageId))
    const received = await receivedBy(ports.webpush, cert)
    const unmarked = await unmarkedOf(db, messageId, received.again)
    return {
      comparisons: [
        {
          what: 'devices with one terminal outcome, workers killed twice',
          unit: 'devices',
          limit: devices,
          product: outcomes,
          demand: { atLeast: 1 },
        },
        {
          what: 'a topic of as many people, against the person of as many devices',
          unit: 'pushes/s',
          limit: devices / quiet,
          product: devices / topic,
          demand: { atLeast: 0.9 },
        },
        {
          what: 'devices that a provider was given a push of one of the messages for',
          unit: 'devices',
          limit: 3 * devices * (3 / 4),
          product: received.devices,
          demand: { atLeast: 1 },
        },
      ],
      notes: [
        `undisturbed: ${Math.round(devices / quiet)} pushes/s end to end, ${quiet.toFixed(1)} s; ingress, one worker, Postgres and the providers' servers share the machine`,
        `topic: ${Math.round(devices / topic)} pushes/s, ${topic.toFixed(1)} s; a quarter of its users have streams, each with its own numbering`,
        `killed twice: ${killed.toFixed(1)} s; ${received.again.length} devices were pushed twice, all in flight at a kill, ${unmarked} of them without the mark worker_lost (required: 0)`,
      ],
      rounds: { quiet, topic, killed, again: received.again.length, unmarked },
    }
  },
}

const apnsForm = () => ({
  key: pemOf(generateKeyPairSync('ec', { namedCurve: 'P-256' })),
  key_id: 'ABC123DEFG',
  team_id: 'TEAM123456',
  topic: 'com.example.shop',
})

const serviceAccount = () => ({
  type: 'service_account',
  project_id: 'bench-project',
  client_email: 'push@bench-project.iam.gserviceaccount.com',
  private_key: pemOf(generateKeyPairSync('rsa', { modulusLength: 2048 })),
})

const pemOf = ({ privateKey }: ReturnType<typeof generateKeyPairSync>) =>
  privateKey.export({ type: 'pkcs8', format: 'pem' }) as string

function poster(base: string, key: string) {
  return async (method: string, path: string, body: unknown): Promise<{ id: string }> => {
    const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' }
    const answer = await fetch(`${base}/push/v1${path}`, { method, headers, body: JSON.stringify(body) })
    if (!answer.ok) throw new Error(`${path}: ${answer.status} ${await answer.text()}`)
    return (await answer.json()) as { id: string }
  }
}

interface Crowd {
  appId: string
  person: string
  devices: number
  port: number
}

async function addSubscribers(db: DatabasePool, crowd: Crowd): Promise<void> {
  await addDevices(db, crowd)
  const { appId, person } = crowd
  const its = sql.fragment`
    select i.* from push.installations as i join push.users as u on u.id = i.push_user_id
    where u.app_id = ${appId} and u.user_id = ${person}`
  await db.query(sql.typeAlias('void')`
    insert into push.users (id, org_id, app_id, user_id) select id, org_id, app_id, id::text from (${its}) as i`)
  await db.query(
    sql.typeAlias(
      'void',
    )`update push.installations as i set push_user_id = i.id from (${its}) as its where its.id = i.id`,
  )
  await db.query(sql.typeAlias('void')`
    insert into push.subscriptions (id, org_id, app_id, topic, push_user_id)
    select gen_random_uuid(), u.org_id, u.app_id, 'news', u.id
    from push.users as u join push.installations as i on i.push_user_id = u.id and i.id = u.id where u.app_id = ${appId}`)
}

async function addDevices(db: DatabasePool, { appId, person, devices, port }: Crowd): Promise<void> {
  const keys = {
    p256dh: 'BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4',
    auth: 'BTBZMqHH6r4Tts7J_aSIgg',
  }
  await db.query(sql.typeAlias('void')`
    insert into push.users (id, org_id, app_id, user_id)
    select gen_random_uuid(), org_id, id, ${person} from push.apps where id = ${appId}`)
  await db.query(sql.typeAlias('void')`
    insert into push.installations (id, org_id, app_id, push_user_id, provider, token, keys, platform)
    select d.id, u.org_id, u.app_id, u.id, provider,
      case provider
        when 'webpush' then ${`https://127.0.0.1:${port}/push/`} || encode(sha256(d.id::text::bytea), 'hex')
        when 'sse' then d.id::text
        else encode(sha256(d.id::text::bytea), 'hex')
      end,
      case when provider = 'webpush' then ${sql.jsonb(keys)} end, 'test'
    from push.users as u,
      (select gen_random_uuid() as id, (${sql.array([...providers], 'text')})[1 + n % 4] as provider
        from generate_series(1, ${devices}::integer) as n) as d
    where u.app_id = ${appId} and u.user_id = ${person}`)
}

async function until(isSo: () => Promise<boolean>): Promise<void> {
  while (!(await isSo())) await pause(50)
}

async function ended(db: DatabasePool, id: string): Promise<number> {
  const Duration = z.object({ seconds: z.number().nullable() })
  const find = () =>
    db.oneFirst(sql.type(Duration)`
      select extract(epoch from ended_at - created_at)::float8 as seconds from push.messages where id = ${id}`)
  await until(async () => (await find()) !== null)
  return (await find()) ?? Number.NaN
}

const Count = z.object({ count: z.number() })

const terminal = (db: DatabasePool, id: string) =>
  db.oneFirst(sql.type(Count)`
    select count(*) from push.deliveries where message_id = ${id} and status in ('sent', 'delivered')`)

const sentTwice = (db: DatabasePool, id: string) =>
  db.oneFirst(sql.type(Count)`
    select count(*) from (
      select delivery_id from push.attempts where message_id = ${id} and outcome = 'sent' group by delivery_id having count(*) > 1
    ) as d`)

async function unmarkedOf(db: DatabasePool, messageId: string, devices: readonly string[]): Promise<number> {
  const marked = await db.anyFirst(sql.type(z.object({ device: z.string() }))`
    select split_part(i.token, '/', -1) as device
    from push.attempts as a join push.deliveries as d on d.id = a.delivery_id
    join push.installations as i on i.id = d.installation_id
    where a.message_id = ${messageId} and a.outcome = 'unknown' and a.reason = 'worker_lost'`)
  const has = new Set(marked)
  return devices.filter((device) => !has.has(device)).length
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
