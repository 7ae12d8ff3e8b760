import { execFile } from 'node:child_process'
import { stat } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { config } from '#lib/config.ts'
import { type Api, mint, type Playback, type Session, upload, waitFor } from '../video-client.ts'

export interface Step {
  name: string
  run(): Promise<string>
}

const execute = promisify(execFile)
const clipSeconds = 6

export function videoSteps(folder: string, api: Api, signal: AbortSignal): Step[] {
  const clip = join(folder, 'clip.mp4')
  const ffmpeg = (...args: string[]) =>
    execute(config.FFMPEG_PATH, ['-nostdin', '-y', '-v', 'error', ...args], { signal })
  let session: Session
  let playback: Playback
  return [
    {
      name: 'clip',
      async run() {
        await ffmpeg(...clipArguments, clip)
        return `ffmpeg made ${clipSeconds} s of 720p, ${megabytes((await stat(clip)).size)}`
      },
    },
    {
      name: 'upload',
      async run() {
        session = await upload(api, clip, { title: 'Tour' }, true)
        return `${session.partsExpected} parts sent to the object store, one of them with two signed URLs`
      },
    },
    {
      name: 'playable',
      async run() {
        await waitFor(api, session.assetId, ({ playable }) => playable)
        return 'viewers can watch the original quality'
      },
    },
    {
      name: 'ready',
      async run() {
        const { renditions } = await waitFor(api, session.assetId, ({ status }) => status === 'ready')
        return `renditions ${renditions.map(({ name }) => name).join(', ')}`
      },
    },
    {
      name: 'decode',
      async run() {
        playback = await mint(api, session.assetId, { expiresInSeconds: 86_400 })
        const frames = join(folder, 'frames')
        await ffmpeg(
          '-http_persistent',
          '0',
          '-xerror',
          '-i',
          playback.hlsUrl,
          '-map',
          '0:v:0',
          '-map',
          '0:a:0',
          '-f',
          'framehash',
          frames,
        )
        return 'ffmpeg fetched the HLS with its token and decoded it without an error'
      },
    },
    {
      name: 'watch',
      async run() {
        return `open ${playback.embedUrl}`
      },
    },
  ]
}

/** A test video with noise, so that it has the size of a real video and more than one part of 5 MiB. */
const clipArguments = [
  ['-f', 'lavfi', '-i', `testsrc2=size=1280x720:rate=30:duration=${clipSeconds}`],
  ['-f', 'lavfi', '-i', `sine=frequency=440:sample_rate=48000:duration=${clipSeconds}`],
  [
    '-vf',
    'noise=alls=10:allf=t',
    '-c:v',
    'libx264',
    '-preset',
    'ultrafast',
    '-b:v',
    '14M',
    '-g',
    '60',
    '-pix_fmt',
    'yuv420p',
  ],
  ['-c:a', 'aac', '-movflags', '+faststart'],
].flat()

const megabytes = (bytes: number) => `${(bytes / 1e6).toFixed(1)} MB`
