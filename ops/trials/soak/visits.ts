import { setTimeout as pause } from 'node:timers/promises'
import { seedCompanies } from '../../start/dev-companies.ts'
import { seedDomain } from '../../start/dev-domain.ts'
import { seedGuard } from '../../start/dev-guard.ts'
import { devKeys } from '../../start/dev-keys.ts'
import { seedPush } from '../../start/dev-push.ts'
import { seedTrust } from '../../start/dev-trust.ts'
import { aiSteps } from '../../tour/ai.ts'
import { botSteps } from '../../tour/bots.ts'
import { erpSteps } from '../../tour/erp.ts'
import { fileSteps } from '../../tour/files.ts'
import { geoSteps } from '../../tour/geo.ts'
import { guardSteps } from '../../tour/guard.ts'
import { mailSteps } from '../../tour/mail.ts'
import { notifySteps } from '../../tour/notify.ts'
import { pushSteps } from '../../tour/push.ts'
import { trustSteps } from '../../tour/trust.ts'
import type { Step } from '../../tour/video.ts'
import { wikiSteps } from '../../tour/wiki.ts'
import { type Api, ask } from '../../video-client.ts'
import { startBroadcast } from '../chaos/live.ts'
import type { Stage } from '../chaos/stage.ts'
import { checkPlayback, createVideo, uploadVideo } from '../chaos/video.ts'
import type { MeasurementAccess } from './ground.ts'

/** A flow of a client of an area, from request to effect. It throws if the effect does not occur. */
export interface Visit {
  area: string
  /** Relative frequency of the visit. */
  weight: number
  run(): Promise<void>
}

/** Occasional work in addition to the visits, which takes seconds of CPU. */
export interface Errand {
  area: string
  every: number
  run(): Promise<void>
}

export interface Mix {
  visits: Visit[]
  errands: Errand[]
}

/** Seeds development data and returns the visits of all areas that work without a browser or a carrier. */
export async function prepareMix(
  stage: Stage,
  found: MeasurementAccess,
  base: string,
  signal: AbortSignal,
): Promise<Mix> {
  const keys = await devKeys(stage.url, {})
  const signing = stage.ingress.part.env?.SIGNING_SECRET ?? ''
  await seedDomain(stage.url, signing)
  await seedTrust(stage.url)
  await seedCompanies(stage.url)
  const api: Api = { base, key: keys.millrace ?? '' }
  const push = await seedPush(api, { databaseUrl: stage.url, baseUrl: base, last: undefined, keptKey: undefined })
  const siteKey = await seedGuard(api, base)
  await ask(api, 'POST', '/v1/account/webhooks', { url: `${stage.stranger.url}/webhook`, types: ['email.*'] })
  const mail = found.mailUrl && mailSteps({ ...api, catcher: found.mailUrl }, signal)
  const visit = (area: string, weight: number, steps: readonly Step[]): Visit => ({
    area,
    weight,
    async run() {
      for (const step of steps) await step.run()
    },
  })
  const film = await createVideo(stage.folder)
  const visits = [
    visit('geo', 20, geoSteps(api)),
    visit('trust', 15, trustSteps(api)),
    visit('erp', 15, erpSteps(api)),
    visit('notify', 15, notifySteps(api)),
    visit('push', 10, pushSteps({ ...api, appId: push.facts.app_id, publicKey: push.publicKey }, signal)),
    visit('guard', 5, guardSteps({ ...api, siteKey }, signal)),
    visit('ai', 5, aiSteps(api)),
    visit('bots', 3, botSteps(api)),
    visit('wiki', 2, wikiSteps(api, signal)),
    visit('rooms', 3, [{ name: 'rooms', run: () => room(api) }]),
    visit('pages', 7, [{ name: 'pages', run: () => readPages(api) }]),
    ...(mail ? [visit('email', 15, mail)] : []),
    ...(found.scans ? [visit('files', 5, fileSteps(api))] : []),
  ]
  const errands: Errand[] = [
    { area: 'video', every: 90, run: () => oneFilm(api, film) },
    { area: 'live', every: 300, run: () => onAir(stage) },
  ]
  return { visits, errands }
}

async function room(api: Api): Promise<string> {
  const { roomId } = await ask<{ roomId: string }>(api, 'POST', '/v1/stream/rooms', { name: 'Soak' })
  await ask(api, 'POST', `/v1/stream/rooms/${roomId}/tokens`, { identity: 'ann', displayName: 'Ann' })
  await ask(api, 'DELETE', `/v1/stream/rooms/${roomId}`)
  return roomId
}

const paths = ['/docs', '/docs/guides/start', '/v1/stream/assets?limit=20', '/v1/files/health', '/healthz']

async function readPages({ base, key }: Api): Promise<string> {
  for (const path of paths) {
    const answer = await fetch(base + path, { headers: { authorization: `Bearer ${key}` } })
    await answer.arrayBuffer()
    if (!answer.ok) throw new Error(`GET ${path}: ${answer.status}`)
  }
  return ''
}

/** Timeout in milliseconds for a video. A fault may hit its worker twice. */
const filmMs = 240_000

async function oneFilm(api: Api, path: string): Promise<void> {
  const assetId = await uploadVideo(api, path)
  const wrong = await checkPlayback(api, assetId, filmMs)
  if (wrong.length > 0) throw new Error(wrong.join('; '))
  await ask(api, 'DELETE', `/v1/stream/assets/${assetId}`)
}

/** Time in milliseconds that a channel stays live after its parts arrive steadily. */
const airMs = 15_000

async function onAir(stage: Stage): Promise<void> {
  const broadcast = await startBroadcast(stage)
  broadcast.calm()
  await pause(airMs)
  // The chaos test checks faults that no viewer may notice. In the soak test, other faults occur too.
  await broadcast.end(true)
}
