import { once } from 'node:events'
import { join } from 'node:path'
import { endsOf } from '#lib/config/values.ts'
import { childEnvironment, config, isSet, readConfig, required } from '#lib/config.ts'
import { ensureDatabase } from '../embedded/database.ts'
import { superuserUrl } from '../embedded/postgres.ts'
import { vacate } from '../embedded/postgres-folder.ts'
import { noteSettings } from '../folder-lock.ts'
import { migrateAll } from '../migrate.ts'
import { runTour, type TourApis, tourIsDue } from '../tour/main.ts'
import type { Api } from '../video-client.ts'
import { seedCompanies } from './dev-companies.ts'
import { seedDomain } from './dev-domain.ts'
import { type LastFacts, readFacts, writeFacts } from './dev-facts.ts'
import { seedGuard } from './dev-guard.ts'
import { devKeys } from './dev-keys.ts'
import { dashboardEnvironment, dashboardFacts } from './dev-owner.ts'
import { seedPush } from './dev-push.ts'
import { seedTrust } from './dev-trust.ts'
import { startMail } from './mail.ts'
import { demandOutside } from './outside.ts'
import * as parts from './parts.ts'
import { demandPort, preferPort, preferUdpPorts } from './ports.ts'
import { startScanner } from './scanner.ts'
import { keepSecrets, type Secrets } from './secrets.ts'
import { shownSettings } from './shown-settings.ts'
import { type Part, type SupervisedPart, supervise } from './supervise.ts'
import { say } from './terminal.ts'
import { startTurn } from './turn.ts'
import { startVoice } from './voice.ts'
import { saying } from './waiting.ts'
import { startWhatsapp } from './whatsapp.ts'

/** What the starting of each part needs to know. */
interface Ground {
  data: string
  secrets: Secrets
  /** What the last start in this folder wrote down: ports and keys that are kept if they can be. */
  last: LastFacts
  /** Starts parts and resolves when they are ready; they are stopped in the reverse order. */
  start(...group: Part[]): Promise<void>
  /** Starts parts that nothing waits for; they are stopped with the others. */
  launch(...group: Part[]): void
  /** Aborts when all shall be stopped. */
  stop: AbortSignal
}

/** Runs all parts until the signal aborts, then stops them: first those that take work, last those that keep it. */
export async function runStack(data: string, stop: AbortSignal): Promise<void> {
  const groups: SupervisedPart[][] = []
  const asked = once(stop, 'abort')
  const launch = (...group: Part[]) => {
    stop.throwIfAborted()
    const running = group.map((part) => supervise(part, parts.logOf(data, part.name)))
    groups.push(running)
    return running
  }
  const start = async (...group: Part[]) => {
    const running = launch(...group)
    const waited = new Set(group.map(({ name }) => name))
    const all = running.map(async ({ ready }, index) => {
      await ready
      waited.delete(group[index]?.name ?? '')
    })
    await saying(() => `starting ${[...waited].join(', ')}`, Promise.race([Promise.all(all), asked]))
    stop.throwIfAborted()
  }
  try {
    const secrets = await keepSecrets(join(data, 'secrets.json'))
    const last = await readFacts(join(data, 'dev.json'))
    const tour = config.TOUR && (await tourIsDue(data, last.base_url === undefined))
    const apis = await startAll({ data, secrets, last, start, launch, stop })
    if (tour) void runTour(data, apis, stop)
    await asked
  } catch (error) {
    if (!stop.aborted) throw error
  } finally {
    for (const group of groups.reverse()) await Promise.all(group.map((part) => part.stop()))
  }
}

async function startAll(ground: Ground): Promise<TourApis> {
  const { data, secrets, last, start, launch, stop } = ground
  const begun = Date.now()
  const port = config.PORT || (await preferPort(config.HOST, last.ports?.ingress))
  await demandPort(config.HOST, port)
  await demandOutside()
  const database = await startDatabase(ground)
  const migrations = saying('bringing the database up to date', migrateAll(database.url))
  const [starting, migrating] = [startStore(ground), migrations]
  // Both at their end before either's failure is told, which stops the database below a migration otherwise.
  await Promise.allSettled([starting, migrating])
  await migrating
  const store = await starting
  const base_url = (config.PUBLIC_URL ?? `http://${parts.reachable(config.HOST)}:${port}`).replace(/(?<!\/)\/+$/, '')
  const dashboard = dashboardEnvironment(base_url, port)
  const keys = await devKeys(database.url, last.keys ?? {})
  const env = {
    MILLRACE_DATA: data,
    PORT: String(port),
    PUBLIC_URL: base_url,
    ...dashboard,
    DATABASE_URL: database.url,
    S3_ENDPOINT: store.s3.endpoint,
    S3_PUBLIC_ENDPOINT: config.S3_PUBLIC_ENDPOINT ?? publicStore(store.s3.endpoint, base_url),
    S3_ACCESS_KEY: store.s3.access_key,
    S3_SECRET_KEY: store.s3.secret_key,
    SIGNING_SECRET: config.SIGNING_SECRET ?? secrets.signing_secret,
  }
  await saying('putting the data of development in', seed(database.url, env.SIGNING_SECRET))
  const mail = await startMail(ground, database.url)
  const whatsapp = await startWhatsapp(ground, port, database.url)
  const voice = await startVoice(ground)
  const live = await livePort(last)
  const srt = await srtPorts(last)
  const rooms = await roomsPort(last)
  const turn = await startTurn(ground, base_url)
  const metrics = await metricsPorts(last)
  const scanner = await startScanner(data, launch, stop)
  const shared = {
    ...env,
    ...mail.env,
    ...whatsapp.env,
    ...voice.env,
    LIVE_RTMP_PORT: String(live.live_rtmp),
    LIVE_SRT_PORTS: srt.range,
    ROOMS_PORT: String(rooms.rooms),
    ...turn.env,
  }
  await start(
    parts.ingress({ ...shared, METRICS_PORT: String(metrics.ingress_metrics) }, port),
    parts.workers({ ...shared, ...scanner.env, METRICS_PORT: String(metrics.workers_metrics) }),
  )
  // At the address of this machine, which PUBLIC_URL may not be.
  const base = `http://${parts.reachable(config.HOST)}:${port}`
  const push = await seedPush(
    { base, key: keys.push ?? '' },
    { databaseUrl: database.url, baseUrl: base_url, last: last.push, keptKey: last.keys?.push_public },
  )
  keys.push_public = push.publicKey
  keys.guard_site = await seedGuard({ base, key: keys.guard_server ?? '' }, base_url)
  const secure = config.TLS_PORT === undefined ? {} : { ingress_tls: config.TLS_PORT }
  const ports = {
    ingress: port,
    ...secure,
    ...metrics,
    ...database.ports,
    ...store.ports,
    ...mail.ports,
    ...whatsapp.ports,
    ...voice.ports,
    ...live,
    ...srt.ports,
    ...rooms,
    ...turn.ports,
  }
  const file = join(data, 'dev.json')
  const console_url = `${base_url}/ops`
  const app = await dashboardFacts(database.url, dashboard.APP_URL)
  const { mail_url } = mail
  const { whatsapp_url } = whatsapp
  const pages = { base_url, console_url, ...app, ...(mail_url && { mail_url }), ...(whatsapp_url && { whatsapp_url }) }
  await writeFacts(file, { ...pages, push: push.facts, database_url: database.url, s3: store.s3, keys, ports })
  const settings = shownSettings(readConfig(childEnvironment({ ...shared, ...scanner.env })))
  const METRICS_PORT = `${metrics.ingress_metrics} (ingress), ${metrics.workers_metrics} (workers)`
  await noteSettings(data, { ...settings, METRICS_PORT })

  say('millrace', `ready after ${((Date.now() - begun) / 1000).toFixed(1)} s at ${base_url}`)
  tellPages({ ...pages, pushDemo: push.facts.demo_url, guardSite: keys.guard_site })
  for (const [name, key] of Object.entries(keys)) say('', `key ${name}: ${key}`)
  say('', `object store at ${store.s3.endpoint}; this, its keys and the database's URL are in ${file}`)
  if (scanner.notice) say('', `NOTICE ${scanner.notice}`)
  say('', `logs are in ${join(data, 'logs')}; Ctrl-C stops everything`)
  const api = (key = ''): Api => ({ base: base_url, key })
  return {
    video: api(keys.stream),
    files: scanner.off ? undefined : api(keys.platform),
    push: { ...api(keys.push), appId: push.facts.app_id, publicKey: push.publicKey },
    guard: { ...api(keys.guard_server), siteKey: keys.guard_site ?? '' },
    platform: api(keys.platform),
    whatsappUrl: whatsapp_url,
    mail: mail_url === undefined ? undefined : { ...api(keys.send), catcher: mail_url },
  }
}

/** What development finds there: a domain that may send mail, findings of trust, companies. */
async function seed(databaseUrl: string, signingSecret: string): Promise<void> {
  await seedDomain(databaseUrl, signingSecret)
  await seedTrust(databaseUrl)
  await seedCompanies(databaseUrl)
}

/** The port of the contract and of encoders, unless another checkout has it. */
async function livePort(last: Ground['last']): Promise<{ live_rtmp: number }> {
  if (isSet('LIVE_RTMP_PORT')) return { live_rtmp: config.LIVE_RTMP_PORT }
  return { live_rtmp: await preferPort(config.HOST, last.ports?.live_rtmp ?? config.LIVE_RTMP_PORT) }
}

/** The ports of encoders by SRT: as many as the setting has, elsewhere if another start has those. */
async function srtPorts(last: Ground['last']): Promise<{ range: string; ports: Record<string, number> }> {
  if (isSet('LIVE_SRT_PORTS')) return { range: config.LIVE_SRT_PORTS, ports: {} }
  const [usual, end] = endsOf(config.LIVE_SRT_PORTS)
  const count = end - usual + 1
  const live_srt = await preferUdpPorts(config.HOST, last.ports?.live_srt ?? usual, count)
  return { range: `${live_srt}-${live_srt + count - 1}`, ports: { live_srt } }
}

/** The port of rooms' signalling, the same as last time if it is still free. */
async function roomsPort(last: Ground['last']): Promise<{ rooms: number }> {
  if (isSet('ROOMS_PORT')) return { rooms: config.ROOMS_PORT }
  return { rooms: await preferPort(config.ROOMS_HOST ?? config.HOST, last.ports?.rooms) }
}

/** Says where the pages are that a developer opens. */
function tellPages(pages: {
  base_url: string
  console_url: string
  app_url: string
  app_invitation?: string
  mail_url?: string
  whatsapp_url?: string
  pushDemo: string
  guardSite: string
}): void {
  const { base_url, mail_url, whatsapp_url } = pages
  say('', `console at ${pages.console_url}, opened by the key operator`)
  say(
    '',
    `dashboard at ${pages.app_url}${pages.app_invitation ? `; its owner joins, once, at ${pages.app_invitation}` : ''}`,
  )
  if (mail_url) say('', `all mail is caught at ${mail_url}, and none delivered; MAIL_CATCHER=false delivers it`)
  if (whatsapp_url) say('', `WhatsApp sandbox at ${whatsapp_url}, a phone that messages show on; none leaves`)
  say('', `push demo at ${pages.pushDemo}`)
  say('', `guard demo at ${base_url}/v1/guard/demo?sitekey=${pages.guardSite}`)
}

async function startDatabase({ data, secrets, last, start }: Ground) {
  if (config.DATABASE_URL) return { url: config.DATABASE_URL, ports: {} }
  const [host, dir] = ['127.0.0.1', join(data, 'postgres')]
  // After a kill, the last one is still stopping on the port that the next one shall have.
  await saying('seeing that no other database runs in the folder', vacate(dir))
  const port = await preferPort(host, last.ports?.postgres)
  const options = { dir, host, port, password: secrets.postgres_password }
  await start(parts.postgres(options))
  const url = await ensureDatabase(superuserUrl(options), 'millrace', secrets.database_password)
  return { url, ports: { postgres: port } }
}

async function startStore({ data, secrets, last, start }: Ground) {
  const { S3_BUCKET: bucket, S3_REGION: region, HOST: host } = config
  if (config.S3_ENDPOINT) {
    const [access_key, secret_key] = [required('S3_ACCESS_KEY'), required('S3_SECRET_KEY')]
    return { s3: { endpoint: config.S3_ENDPOINT, access_key, secret_key, bucket, region }, ports: {} }
  }
  const port = config.STORE_PORT || (await preferPort(host, last.ports?.object_store))
  await demandPort(host, port, 'STORE_PORT')
  const { access_key, secret_key } = secrets
  await start(parts.objectStore({ host, port, dir: join(data, 'objects'), credentials: join(data, 'secrets.json') }))
  const endpoint = `http://${parts.reachable(host)}:${port}`
  return { s3: { endpoint, access_key, secret_key, bucket, region }, ports: { object_store: port } }
}

/** A port for each process's metrics, the same as last time if it is still free. */
async function metricsPorts({ ports }: LastFacts): Promise<{ ingress_metrics: number; workers_metrics: number }> {
  const ingress_metrics = await preferPort(config.HOST, ports?.ingress_metrics)
  const workers_metrics = await preferPort(config.HOST, ports?.workers_metrics)
  return { ingress_metrics, workers_metrics }
}

/** The store as clients reach it: when the embedded one listens for all, under the host name that they know us by. */
function publicStore(endpoint: string, baseUrl: string): string {
  const listensForAll = !config.S3_ENDPOINT && ['0.0.0.0', '::'].includes(config.HOST)
  return listensForAll ? `http://${new URL(baseUrl).hostname}:${new URL(endpoint).port}` : endpoint
}
