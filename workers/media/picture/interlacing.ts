import type { EngineCall, Timeline, VideoTrack } from '#tasks/video/engine.ts'
import { toNumber } from '#tasks/video/rules/transcode/rational.ts'
import type { Filter } from '../command.ts'
import type { MediaTools } from '../media-tools.ts'
import { openMezzanine } from '../untrusted.ts'

/** Formats that can be interlaced and whose decoders mark interlaced frames. */
const mayBe = new Set('h264 mpeg2video dvvideo mpeg4 vc1 wmv3 prores mjpeg dnxhd'.split(' '))

/** Number of frames that are checked at each of three positions. */
const frames = 10

/**
 * Minimum share of marked frames with which a track counts as interlaced. In NTSC film, two of five frames are marked.
 */
const some = 1 / 8

/**
 * Checks frames of a mezzanine whose container does not declare interlacing. Many containers declare nothing or a wrong
 * value.
 */
export async function detectInterlacing(
  tools: MediaTools,
  { path, video, timeline }: { path: string; video: VideoTrack; timeline: Timeline },
  call: EngineCall,
): Promise<VideoTrack> {
  if (video.interlaced || !mayBe.has(video.codec)) return video
  const tick = toNumber(timeline.timeBase)
  const places = [0.05, 0.45, 0.85].map((share) => (timeline.first + share * (timeline.last - timeline.first)) * tick)
  const intervals = places.map((at) => `${at.toFixed(3)}%+#${frames}`).join(',')
  let [seen, marked] = [0, 0]
  const show = ['-select_streams', String(video.index), '-read_intervals', intervals]
  await tools.ffprobe([...show, '-show_entries', 'frame=interlaced_frame', '-of', 'csv=p=0'], openMezzanine(path), {
    call,
    timeout: 120_000,
    onOutput: (line) => {
      if (!/^[01]/.test(line)) return
      seen++
      marked += Number(line[0])
    },
  })
  return marked > seen * some ? { ...video, interlaced: true, marked: true } : video
}

export const deinterlace = ({ marked }: VideoTrack): Filter => ({
  filter: 'bwdif',
  options: { mode: 'send_frame', deint: marked ? 'interlaced' : 'all' },
})
