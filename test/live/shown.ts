import { execFile } from 'node:child_process'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import type { LiveStack, TestChannel } from '../support/live-stack.ts'
import { until } from '../support/until.ts'
import { enginesOn } from '../support/video-stack.ts'
import { type Listed, type MediaPlaylist, parseMedia } from './hls-rules.ts'

const execute = promisify(execFile)

/** An unlisted channel as its viewers see it. */
export interface Shown {
  /** Undefined while there is nothing to play. */
  playlist(): Promise<MediaPlaylist | undefined>
  /** Waits for a key frame that comes from now on. */
  keyFrame(): Promise<void>
  /** Does something, and waits for the first whole segment behind a discontinuity that is new. */
  behindBreak(fault: () => Promise<void>): Promise<Listed>
  /** The kinds of track of a segment that can be decoded, in order. */
  tracks(segment: Listed): Promise<string[]>
}

const breaks = ({ discontinuitySequence, segments }: MediaPlaylist) =>
  discontinuitySequence + segments.filter(({ discontinuity }) => discontinuity).length

export function shown(stack: LiveStack, { id }: TestChannel): Shown {
  const get = (file: string) => fetch(`${stack.ingress.url}/v1/stream/live/open/${id}/${file}`)
  const playlist = async () => {
    const answer = await get('live.m3u8')
    return answer.status === 200 ? parseMedia(await answer.text()) : undefined
  }
  const lastKey = async () => {
    const now = await playlist()
    return [...(now?.segments ?? []), ...(now ? [now.growing] : [])]
      .flatMap(({ parts }) => parts)
      .findLast(({ independent }) => independent)?.uri
  }
  return {
    playlist,
    async keyFrame() {
      const before = await lastKey()
      await until(async () => (await lastKey()) !== before, { every: 50 })
    },
    async behindBreak(fault) {
      const before = breaks(await until(playlist))
      await fault()
      const now = await until(
        async () => {
          const later = await playlist()
          return later && breaks(later) > before && later
        },
        { timeout: 60_000, what: 'viewers are shown what comes behind the fault' },
      )
      const found = now.segments.findLast(({ discontinuity, gap }) => discontinuity && !gap)
      if (!found) throw new Error('The segment behind the discontinuity is listed no more.')
      return found
    },
    async tracks({ map = '', uri }) {
      const bodies = await Promise.all([map, uri].map(async (file) => await (await get(file)).bytes()))
      const path = join(stack.data, `shown-${uri.replace('.m4s', '.mp4')}`)
      await writeFile(path, Buffer.concat(bodies))
      const fields = ['-count_frames', '-show_entries', 'stream=codec_type,nb_read_frames', '-of', 'csv=p=0']
      const { stdout } = await execute('ffprobe', ['-v', 'error', ...fields, path])
      const lines = stdout.trim().split('\n')
      return lines.flatMap((line) => (/,[1-9]/.test(line) ? [line.split(',')[0] ?? ''] : [])).sort()
    },
  }
}

/** Kills the packager of a channel's publisher, as a lack of memory would. */
export async function killPackager({ id }: TestChannel, source: string): Promise<void> {
  const [packager] = await until(async () => {
    const found = await enginesOn(`${id}-${source}`)
    return found.length > 0 && found
  })
  process.kill(packager as number, 'SIGKILL')
}
