import { join } from 'node:path'
import { config } from '#lib/config.ts'
import type { Storage } from '#lib/storage/storage.ts'
import type { DatabasePool } from '#sql/db.ts'
import { listProcessing } from '#sql/video/pipeline.ts'
import { findTask } from '#tasks/index.ts'
import type { PoolName, Tools } from '#tasks/queue/pools.ts'
import { certificateMeans } from './core/certificate-means.ts'
import { createMediaEngine } from './media/index.ts'
import { openScratch } from './media/scratch.ts'
import { configuredSpeech } from './media/speech/index.ts'
import { giveUp } from './runtime/give-up.ts'
import { missingWalls } from './sandbox/isolation.ts'
import { isThere, missingPrograms, usualPath } from './sandbox/programs.ts'
import type { Address } from './scan/clamd/connection.ts'
import { observeQueue } from './scan/clamd/queue.ts'
import { startHeartbeat } from './scan/heartbeat.ts'
import { createScanner } from './scan/index.ts'

type Makers = { [P in PoolName]: (db: DatabasePool, storage: Storage) => Promise<Tools[P]> }

/** Makes the tools that each pool lends its tasks. */
export const makeTools: Makers = {
  core: async (db, storage) => ({
    storage,
    certificates: await certificateMeans(),
    async giveUp(name, envelope, error) {
      const task = findTask(name)
      if (task) await giveUp(task, envelope, error, db)
    },
  }),
  'media-intake': async (db, storage) => await mediaTools(db, storage, 0),
  media: async (db, storage) => ({
    ...(await mediaTools(db, storage, config.MEDIA_NICE)),
    speech: configuredSpeech(config.MEDIA_NICE),
  }),
  scan: async (db, storage) => {
    const address = clamdAddress()
    if (!address) throw new Error('There is no clamd to scan with.')
    const scanner = createScanner(address, config.SCAN_MAX_BYTES)
    startHeartbeat(db, scanner)
    observeQueue(address)
    // A folder of its own: what lies there belongs to no asset.
    const scratch = await openScratch(join(config.MILLRACE_DATA, 'scan-scratch'), storage, async () => [])
    return { scanner, scratch, storage }
  },
}

function clamdAddress(): Address | undefined {
  const { CLAMD_SOCKET: socket, CLAMD_HOST: host, CLAMD_PORT: port } = config
  if (host) return { host, port }
  return socket ? { socket } : undefined
}

/** Why this machine cannot work for a pool, in a sentence; undefined when it can. */
export async function whatLacks(pool: PoolName): Promise<string | undefined> {
  if (pool === 'core') return undefined
  const off = `pool ${pool} is off here, its jobs wait`
  const walls = await missingWalls(usualPath)
  if (walls) return `${off}: ${walls}`
  if (!(await isThere('flock'))) return `${off}: there is no flock; install util-linux`
  if (pool === 'scan') return clamdAddress() ? undefined : `${off}: ${lacksClamd}`
  const { FFMPEG_PATH, FFPROBE_PATH } = config
  const missing = await missingPrograms({ FFMPEG_PATH, FFPROBE_PATH })
  if (missing.length === 0) return undefined
  return `${off}: there is no ${missing.join(' and no ')}; install it and start again`
}

const lacksClamd = 'there is no clamd; install clamav-daemon, or set CLAMD_SOCKET or CLAMD_HOST'

/** `nice` keeps the ladder behind what makes uploads playable, and behind the ingress. */
async function mediaTools(db: DatabasePool, storage: Storage, nice: number): Promise<Tools['media-intake']> {
  const { FFMPEG_PATH: ffmpegPath, FFPROBE_PATH: ffprobePath, MILLRACE_DATA } = config
  return {
    media: createMediaEngine({ ffmpegPath, ffprobePath, nice, slots: config.MEDIA_CONCURRENCY }),
    scratch: await openScratch(join(MILLRACE_DATA, 'scratch'), storage, (ids) => listProcessing(db, ids)),
    storage,
  }
}
