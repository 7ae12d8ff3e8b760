import { access, constants } from 'node:fs/promises'
import { join } from 'node:path'
import { parsePortRange } from '#lib/config/values.ts'
import { config, requireVariable } from '#lib/config.ts'
import { guardAddresses } from '#lib/network/address-guard.ts'
import { createSeal } from '#lib/seal.ts'
import { sealPurpose } from '#sql/live/channels.ts'
import { channelRestreams, sealPurpose as restreamSeal } from '#sql/live/restreams.ts'
import { createAdmissions } from '#tasks/live/rules/admissions.ts'
import { restreamTargets } from '#tasks/live/rules/restream-targets.ts'
import { restreamRules } from '#tasks/live/rules/restream-url.ts'
import { srtPorts } from '#tasks/live/rules/srt-ports.ts'
import { findMissingMediaTools, intakeTools } from '../media/index.ts'
import { createMediaTools } from '../media/media-tools.ts'
import type { PoolDeclaration } from '../runtime/pool-declaration.ts'
import { missingPrograms } from '../sandbox/programs.ts'
import { startIngest } from './ingest/ingest.ts'
import { startRtmps } from './ingest/rtmps.ts'
import { createLiveOrigin } from './origin/index.ts'
import { Restreams } from './restream/restreams.ts'

/** In addition to its jobs, each worker accepts publishers and serves their channels. */
export const live: PoolDeclaration<'live'> = {
  concurrency: config.LIVE_CONCURRENCY,
  share: { none: 'Creates assets from recordings on its own disk.' },
  engines: ['ffmpeg'],
  lacks,
  async tools(process) {
    const { db, storage, ends, workerId } = process
    const secret = requireVariable('SIGNING_SECRET')
    // Only one worker per host can have the port, and therefore the folder.
    const folder = join(config.MILLRACE_DATA, 'live', String(config.LIVE_RTMP_PORT))
    const { FFMPEG_PATH: ffmpeg, FFPROBE_PATH: ffprobePath } = config
    const origin = await createLiveOrigin({
      folder,
      secret,
      ffmpeg,
      host: config.LIVE_ORIGIN_HOST,
      port: config.LIVE_ORIGIN_PORT,
      publicUrl: config.LIVE_ORIGIN_URL,
      partMs: config.LIVE_PART_MS,
      // Longer than the broadcast waits for its publisher, so that viewers see the end of the broadcast.
      lingerSeconds: config.LIVE_RECONNECT_SECONDS + 10,
    })
    ends.defer(() => origin.close())
    const ingest = await startIngest({
      admissions: createAdmissions({
        db,
        storage,
        workerId,
        originUrl: origin.url,
        reconnectSeconds: config.LIVE_RECONNECT_SECONDS,
      }),
      srtPorts: srtPorts(db, workerId, parsePortRange(config.LIVE_SRT_PORTS)),
      storage,
      origin,
      restreams: new Restreams({
        targets: restreamTargets(channelRestreams, db, workerId),
        guard: guardAddresses(restreamRules),
        seal: createSeal(secret, restreamSeal),
        ffmpeg,
      }),
      ffmpeg,
      seal: createSeal(secret, sealPurpose),
      media: createMediaTools({ ffmpegPath: ffmpeg, ffprobePath, threads: 1 }),
      nginx: { program: config.LIVE_NGINX_PATH, module: config.LIVE_RTMP_MODULE },
      host: config.HOST,
      port: config.LIVE_RTMP_PORT,
      handshakes: 64,
      transcodeCores: config.LIVE_TRANSCODE_CORES,
    })
    ends.defer(() => ingest.close())
    const { LIVE_RTMPS_PORT, LIVE_TLS_CERT: certificate, LIVE_TLS_KEY: key } = config
    if (LIVE_RTMPS_PORT !== undefined && certificate && key) {
      const rtmps = await startRtmps({
        program: config.LIVE_NGINX_PATH,
        module: config.LIVE_STREAM_MODULE,
        certificate,
        key,
        host: config.HOST,
        port: LIVE_RTMPS_PORT,
        rtmpPort: config.LIVE_RTMP_PORT,
      })
      ends.defer(() => rtmps.close())
    }
    return await intakeTools(process)
  },
}

async function lacks(): Promise<string | undefined> {
  const { LIVE_NGINX_PATH, LIVE_RTMP_MODULE } = config
  if (!config.SIGNING_SECRET) return 'SIGNING_SECRET is not set, so passphrases cannot be decrypted'
  const missing = await missingPrograms({ LIVE_NGINX_PATH })
  const noModule = await unreadable({ LIVE_RTMP_MODULE })
  const all = [...missing, ...noModule]
  if (all.length > 0) return `there is no ${all.join(' and no ')}; install nginx with its RTMP module and start again`
  return (await lacksForRtmps()) ?? (await findMissingMediaTools())
}

async function lacksForRtmps(): Promise<string | undefined> {
  const { LIVE_RTMPS_PORT, LIVE_TLS_CERT, LIVE_TLS_KEY, LIVE_STREAM_MODULE } = config
  if (LIVE_RTMPS_PORT === undefined) return undefined
  if (!LIVE_TLS_CERT || !LIVE_TLS_KEY) return 'LIVE_RTMPS_PORT needs LIVE_TLS_CERT and LIVE_TLS_KEY'
  const missing = await unreadable({ LIVE_TLS_CERT, LIVE_TLS_KEY, LIVE_STREAM_MODULE })
  return missing.length > 0 ? `for RTMPS there is no ${missing.join(' and no ')}` : undefined
}

async function unreadable(files: Record<string, string>): Promise<string[]> {
  const faults = await Promise.all(
    Object.entries(files).map(([variable, path]) =>
      access(path, constants.R_OK).then(
        () => [],
        () => [`${path} (${variable})`],
      ),
    ),
  )
  return faults.flat()
}
