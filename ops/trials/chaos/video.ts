import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { promisify } from 'node:util'
import { config } from '#lib/config.ts'
import { describe } from '#lib/errors.ts'
import { type Api, mint, upload, waitFor } from '../../video-client.ts'

const execute = promisify(execFile)
const film = { seconds: 8, rate: 24 }

export async function createVideo(folder: string): Promise<string> {
  const path = join(folder, 'film.mp4')
  const picture = `testsrc2=size=854x480:rate=${film.rate}:duration=${film.seconds}`
  const sound = `sine=frequency=440:sample_rate=48000:duration=${film.seconds}`
  const codec = ['-c:v', 'libx264', '-preset', 'ultrafast', '-g', '48', '-pix_fmt', 'yuv420p', '-c:a', 'aac']
  const args = ['-nostdin', '-v', 'error', '-f', 'lavfi', '-i', picture, '-f', 'lavfi', '-i', sound, ...codec, path]
  await execute(config.FFMPEG_PATH, args)
  return path
}

export async function uploadVideo(api: Api, path: string): Promise<string> {
  return await again(30_000, async () => (await upload(api, path)).assetId)
}

export async function checkPlayback(api: Api, assetId: string, timeout: number): Promise<string[]> {
  try {
    await again(timeout, () => waitFor(api, assetId, ({ status }) => status === 'ready', { timeout, every: 500 }))
    const { hlsUrl } = await mint(api, assetId)
    const counts = await frameCounts(hlsUrl)
    const right = counts.length > 0 && counts.every((count) => count === film.seconds * film.rate)
    return right ? [] : [`the video has ${counts.join(', ')} frames instead of ${film.seconds * film.rate}`]
  } catch (error) {
    return [`the video: ${describe(error)}`]
  }
}

/** Retries until `work` succeeds or the asset has failed permanently. */
async function again<T>(timeout: number, work: () => Promise<T>): Promise<T> {
  const end = performance.now() + timeout
  for (;;) {
    try {
      return await work()
    } catch (error) {
      if (performance.now() > end || /asset failed/.test(describe(error))) throw error
      await pause(500)
    }
  }
}

async function frameCounts(url: string): Promise<number[]> {
  const input = ['-v', 'error', '-http_persistent', '0', '-i', url]
  const entries = ['-count_packets', '-show_entries', 'stream=codec_type,nb_read_packets', '-of', 'json']
  const { stdout } = await execute(config.FFPROBE_PATH, [...input, ...entries], { timeout: 60_000 })
  const { streams } = JSON.parse(stdout) as { streams: { codec_type: string; nb_read_packets: string }[] }
  return streams.flatMap(({ codec_type, nb_read_packets }) => (codec_type === 'video' ? [Number(nb_read_packets)] : []))
}
