import { once } from 'node:events'
import { join } from 'node:path'
import { childEnvironment, config, readConfig, requireVariable } from '#lib/config.ts'
import { giveBackMemory } from '#lib/loaded.ts'
import { recordSettings } from '../folder-lock.ts'
import { isTourDue } from '../tour/due.ts'
import type { TourApis } from '../tour/main.ts'
import type { Api } from '../video-client.ts'
import { placeDatabase, prepareDatabase } from './database.ts'
import { type LastFacts, readFacts, writeFacts } from './dev-facts.ts'
import { seedGuard } from './dev-guard.ts'
import { dashboardEnvironment, dashboardFacts, localWebhooks } from './dev-owner.ts'
import { seedPush } from './dev-push.ts'
import { startMail } from './mail.ts'
import { checkExternalServices } from './outside.ts'
import { livePort, metricsPorts, roomsPort, srtPorts } from './part-ports.ts'
import * as parts from './parts.ts'
import { preferPort, requireFreePort } from './ports.ts'
import { startScanner } from './scanner.ts'
import { keepSecrets, type Secrets } from './secrets.ts'
import { maskSettings } from './shown-settings.ts'
import { startSms } from './sms.ts'
import { type Part, type SupervisedPart, supervise } from './supervise.ts'
import { say } from './terminal.ts'
import { startTurn } from './turn.ts'
import { startVoice } from './voice.ts'
import { withProgress } from './waiting.ts'
import { startWhatsapp } from './whatsapp.ts'

interface Ground {
  data: string
  secrets: Secrets
  /** Data about the last start in this folder: ports and keys, which are reused if possible. */
  last: LastFacts
  /** Starts parts and resolves when they are ready. Parts are stopped in reverse order. */
  start(...group: Part[]): Promise<void>
  /** Starts parts that are stopped before all other parts, regardless of the order of starts. */
  startFirst(...group: Part[]): Promise<void>
  /** Starts parts without waiting for them. They are stopped with the other parts. */
  launch(...group: Part[]): void
  stop: AbortSignal
}

/**
 * Runs all parts until the signal aborts, then stops them: first the parts that accept work, last the parts that store
 * data.
 */
export async function runStack(data: string, stop: AbortSignal): Promise<void> {
  const groups: SupervisedPart[][] = []
  const first: SupervisedPart[][] = []
  const asked = once(stop, 'abort')
  const launchIn = (list: SupervisedPart[][], group: Part[]) => {
    stop.throwIfAborted()
    const running = group.map((part) => supervise(part, parts.logOf(data, part.name)))
    list.push(running)
    return running
  }
  const startIn = async (list: SupervisedPart[][], group: Part[]) => {
    const running = launchIn(list, group)
    const waited = new Map(group.map(({ name, after }) => [name, after === undefined ? 'starting' : 'loading']))
    const all = running.map(async ({ ready }, index) => {
      const { name = '', after } = group[index] ?? {}
      after?.then(() => waited.has(name) && waited.set(name, 'starting'), nothing)
      await ready
      waited.delete(name)
    })
    const left = () => [...waited].map(([name, does]) => `${does} ${name}`).join(', ')
    await withProgress(left, Promise.race([Promise.all(all), asked]))
    stop.throwIfAborted()
  }
  try {
    const secrets = await keepSecrets(join(data, 'secrets.json'))
    const last = await readFacts(join(data, 'dev.json'))
    const tour = config.TOUR && (await isTourDue(data, last.base_url === undefined))
    const apis = await startAll({
      data,
      secrets,
      last,
      start: (...group) => startIn(groups, group),
      startFirst: (...group) => startIn(first, group),
      launch: (...group) => void launchIn(groups, group),
      stop,
    })
    if (tour) void (await import('../tour/main.ts')).runTour(data, apis, stop)
    await giveBackMemory()
    await asked
  } catch (error) {
    if (!stop.aborted) throw error
  } finally {
    for (const group of [...first.reverse(), ...groups.reverse()]) await Promise.all(group.map((part) => part.stop()))
  }
}

async function startAll(ground: Ground): Promise<TourApis> {
  const { data, secrets, last, start, startFirst, launch, stop } = ground
  const begun = Date.now()
  const port = config.PORT || (await preferPort(config.HOST, last.ports?.ingress))
  await requireFreePort(config.HOST, port)
  await checkExternalServices()
  const database = await placeDatabase(ground)
  const store = await placeStore(ground)
  const base_url = (config.PUBLIC_URL ?? `http://${parts.reachable(config.HOST)}:${port}`).replace(/(?<!\/)\/+$/, '')
  const dashboard = dashboardEnvironment(base_url, port)
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
    ...localWebhooks(),
  }
  const metrics = await metricsPorts(last)
  const live = await livePort(last)
  const srt = await srtPorts(last)
  const rooms = await roomsPort(last)
  // Independent parts start at the same time. Meanwhile the ingress and the workers are loaded, because they take
  // longest.
  await using ends = new AsyncDisposableStack()
  const preparing = settling(prepareDatabase(ground, database, env.SIGNING_SECRET))
  // Errors are reported after migrations have ended, because reporting an error stops the database.
  ends.defer(() => preparing.then(nothing, nothing))
  const grounded = settling(Promise.all([preparing, store.start()]))
  const beside: Promise<unknown>[] = [grounded]
  const aside = { ...ground, start: async (...group: Part[]) => void beside.push(settling(start(...group))) }
  const mail = await startMail(aside, database.url)
  const whatsapp = await startWhatsapp(aside, port)
  const sms = await startSms(aside)
  const voice = await startVoice(aside)
  const turn = await startTurn(ground, base_url)
  const scanner = await startScanner(data, launch, stop)
  const shared = {
    ...env,
    ...mail.env,
    ...whatsapp.env,
    ...sms.env,
    ...voice.env,
    LIVE_RTMP_PORT: String(live.live_rtmp),
    LIVE_SRT_PORTS: srt.range,
    ROOMS_PORT: String(rooms.rooms),
    ...turn.env,
  }
  const working = startFirst(
    parts.ingress({ ...shared, METRICS_PORT: String(metrics.ingress_metrics) }, port, grounded),
    parts.workers({ ...shared, ...scanner.env, METRICS_PORT: String(metrics.workers_metrics) }, grounded),
  )
  await Promise.all([...beside, working])
  const keys = await preparing
  // Uses this machine’s address. PUBLIC_URL can differ.
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
    ...sms.ports,
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
  const { sms_url } = sms
  const pages = {
    base_url,
    console_url,
    ...app,
    ...(mail_url && { mail_url }),
    ...(whatsapp_url && { whatsapp_url }),
    ...(sms_url && { sms_url }),
  }
  await writeFacts(file, { ...pages, push: push.facts, database_url: database.url, s3: store.s3, keys, ports })
  const settings = maskSettings(readConfig(childEnvironment({ ...shared, ...scanner.env })))
  const METRICS_PORT = `${metrics.ingress_metrics} (ingress), ${metrics.workers_metrics} (workers)`
  await recordSettings(data, { ...settings, METRICS_PORT })

  say('millrace', `ready after ${((Date.now() - begun) / 1000).toFixed(1)} s at ${base_url}`)
  tellPages({ ...pages, pushDemo: push.facts.demo_url, guardSite: keys.guard_site })
  for (const [name, key] of Object.entries(keys)) say('', `key ${name}: ${key}`)
  say('', `object store: ${store.s3.endpoint}. Its URL, its keys and the database URL are in ${file}`)
  if (scanner.notice) say('', `NOTICE ${scanner.notice}`)
  say('', `logs: ${join(data, 'logs')}. Press Ctrl-C to stop everything`)
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

const nothing = () => {}

function settling<T>(work: Promise<T>): Promise<T> {
  work.catch(nothing)
  return work
}

function tellPages(pages: {
  base_url: string
  console_url: string
  app_url: string
  app_invitation?: string
  mail_url?: string
  whatsapp_url?: string
  sms_url?: string
  pushDemo: string
  guardSite: string
}): void {
  const { base_url, mail_url, whatsapp_url, sms_url } = pages
  say('', `console: ${pages.console_url} (sign in with the key operator)`)
  say(
    '',
    `dashboard: ${pages.app_url}${pages.app_invitation ? `. Join once as its owner: ${pages.app_invitation}` : ''}`,
  )
  if (mail_url) say('', `all email is caught and not delivered: ${mail_url}. MAIL_CATCHER=false delivers it`)
  if (whatsapp_url) say('', `WhatsApp sandbox: ${whatsapp_url}, a test phone with all messages. None is delivered`)
  if (sms_url) say('', `SMS sandbox: ${sms_url}, a test phone with all text messages. None is delivered`)
  say('', `push demo: ${pages.pushDemo}`)
  say('', `guard demo: ${base_url}/v1/guard/demo?sitekey=${pages.guardSite}`)
}

async function placeStore({ data, secrets, last, start }: Ground) {
  const { S3_BUCKET: bucket, S3_REGION: region, HOST: host } = config
  if (config.S3_ENDPOINT) {
    const [access_key, secret_key] = [requireVariable('S3_ACCESS_KEY'), requireVariable('S3_SECRET_KEY')]
    const s3 = { endpoint: config.S3_ENDPOINT, access_key, secret_key, bucket, region }
    return { s3, ports: {}, start: async () => {} }
  }
  const port = config.STORE_PORT || (await preferPort(host, last.ports?.object_store))
  await requireFreePort(host, port, 'STORE_PORT')
  const { access_key, secret_key } = secrets
  const endpoint = `http://${parts.reachable(host)}:${port}`
  return {
    s3: { endpoint, access_key, secret_key, bucket, region },
    ports: { object_store: port },
    start: () =>
      start(parts.objectStore({ host, port, dir: join(data, 'objects'), credentials: join(data, 'secrets.json') })),
  }
}

/**
 * Returns the store’s URL for clients. If the embedded store listens on all addresses, the URL has the host name of the
 * public URL.
 */
function publicStore(endpoint: string, baseUrl: string): string {
  const listensForAll = !config.S3_ENDPOINT && ['0.0.0.0', '::'].includes(config.HOST)
  return listensForAll ? `http://${new URL(baseUrl).hostname}:${new URL(endpoint).port}` : endpoint
}
