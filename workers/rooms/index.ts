import { access, mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { config, publicUrl, requireVariable } from '#lib/config.ts'
import { guardAddresses } from '#lib/network/address-guard.ts'
import { createSeal } from '#lib/seal.ts'
import { watchedGauge } from '#lib/telemetry/metrics.ts'
import { webSeal } from '#sql/live/web-publishers.ts'
import { sealPurpose } from '#sql/rooms/broadcasts.ts'
import { sealPurpose as restreamSeal, roomRestreams } from '#sql/rooms/restreams.ts'
import { restreamTargets } from '#tasks/live/rules/restream-targets.ts'
import { restreamRules } from '#tasks/live/rules/restream-url.ts'
import { createWebPublishing } from '#tasks/live/rules/web-publishing.ts'
import { createRoomBroadcasts } from '#tasks/rooms/rules/broadcasts.ts'
import { createHosting, createPresence } from '#tasks/rooms/rules/hosting.ts'
import { createModeration } from '#tasks/rooms/rules/moderation.ts'
import { createRoomRecordings } from '#tasks/rooms/rules/recordings.ts'
import { findMissingMediaTools, intakeTools } from '../media/index.ts'
import type { PoolDeclaration } from '../runtime/pool-declaration.ts'
import { missingPrograms } from '../sandbox/programs.ts'
import { createAir } from './air/index.ts'
import { Rooms } from './gateway/rooms.ts'

const participants = watchedGauge('millrace_room_participants', 'Participants of the rooms of this process.', ['state'])
const opened = watchedGauge('millrace_rooms_open', 'Rooms that are open in this process.', [])
const web = watchedGauge('millrace_live_web', 'WHIP publishers and WHEP viewers of this process.', ['kind'])

/** In addition to its jobs, each worker serves rooms, their signalling and their media server. */
export const rooms: PoolDeclaration<'rooms'> = {
  concurrency: 1,
  share: { none: 'Creates assets from recordings on its own disk.' },
  lacks,
  async tools(process) {
    const { db, storage, ends, workerId } = process
    const secret = requireVariable('SIGNING_SECRET')
    const folder = join(config.MILLRACE_DATA, 'rooms')
    await mkdir(folder, { recursive: true })
    const height = config.ROOMS_PICTURE_HEIGHT
    const rtmp =
      config.ROOMS_RTMP_URL ?? `rtmp://${config.LIVE_INGEST_HOST ?? '127.0.0.1'}:${config.LIVE_RTMP_PORT}/live`
    const air = createAir({
      broadcasts: createRoomBroadcasts(db, createSeal(secret, sealPurpose)),
      restreams: {
        targets: restreamTargets(roomRestreams, db, workerId),
        guard: guardAddresses(restreamRules),
        seal: createSeal(secret, restreamSeal),
      },
      recordings: createRoomRecordings(db, storage),
      rtmp,
      shape: { folder, height, width: 2 * Math.round((height * 8) / 9), frameRate: config.ROOMS_PICTURE_RATE },
    })
    ends.defer(() => air.settle())
    const host = config.ROOMS_HOST ?? config.HOST
    const running = await Rooms.start({
      hosting: createHosting(db, workerId),
      presence: createPresence(db, workerId, secret),
      moderation: createModeration(db),
      host,
      port: config.ROOMS_PORT,
      trustedProxies: config.TRUSTED_PROXIES,
      leaseMs: config.LEASE_MS,
      publicUrl: (port) => (config.ROOMS_GATEWAY_URL ?? defaultUrl(port)).replace(/(?<!\/)\/+$/, ''),
      janus: {
        program: config.ROOMS_JANUS_PATH,
        libraries: config.ROOMS_JANUS_LIBRARIES,
        icePorts: config.ROOMS_ICE_PORTS,
        interfaces: config.ROOMS_ICE_INTERFACES,
        publicAddress: config.ROOMS_PUBLIC_ADDRESS,
      },
      attend: (room) => air.attend(room),
      web: {
        secret,
        options: {
          publishing: createWebPublishing(db, workerId, secret),
          seal: createSeal(secret, webSeal),
          rtmp,
          folder,
          bitRate: config.WHIP_KILOBITS * 1000,
          patienceMs: config.LIVE_RECONNECT_SECONDS * 1000,
          mostPublishers: config.WHIP_PUBLISHERS,
          mostViewers: config.WHEP_VIEWERS,
          mostOfAll: Math.ceil(config.ROOMS_CAPACITY / 2),
        },
      },
    })
    ends.defer(() => running.close())
    ends.defer(opened.watch(() => [{ labels: {}, value: running.load.rooms }]))
    const observed = participants.watch(() => {
      const { participants: all, publishing } = running.load
      return [
        { labels: { state: 'joined' }, value: all - publishing },
        { labels: { state: 'publishing' }, value: publishing },
      ]
    })
    ends.defer(observed)
    const watched = web.watch(() => {
      const { publishers, viewers } = running.load.web
      return [
        { labels: { kind: 'publisher' }, value: publishers },
        { labels: { kind: 'viewer' }, value: viewers },
      ]
    })
    ends.defer(watched)
    return await intakeTools(process)
  },
}

const defaultUrl = (port: number): string => `ws://${new URL(publicUrl()).hostname}:${port}`

async function lacks(): Promise<string | undefined> {
  const { ROOMS_JANUS_PATH, ROOMS_JANUS_LIBRARIES } = config
  if (!config.SIGNING_SECRET) return 'SIGNING_SECRET is not set, so tokens cannot be read'
  const missing = await missingPrograms({ ROOMS_JANUS_PATH })
  const needed = ['plugins/libjanus_videoroom.so', 'plugins/libjanus_nosip.so', 'transports/libjanus_websockets.so']
  const files = await Promise.all(
    needed.map((file) =>
      access(join(ROOMS_JANUS_LIBRARIES, file)).then(
        () => [],
        () => [`${join(ROOMS_JANUS_LIBRARIES, file)} (ROOMS_JANUS_LIBRARIES)`],
      ),
    ),
  )
  const all = [...missing, ...files.flat()]
  if (all.length > 0) return `there is no ${all.join(' and no ')}; install janus and start again`
  return await findMissingMediaTools()
}
