import { stat } from 'node:fs/promises'
import { join } from 'node:path'
import type { FfmpegCommand } from 'fluent-ffmpeg'
import type { AudioInput, EncodedAudio, EngineCall, Mezzanine } from '#tasks/video/engine.ts'
import { MediaFault } from '#tasks/video/rules/transcode/media-fault.ts'
import { toNumber } from '#tasks/video/rules/transcode/rational.ts'
import { soundFile, soundTracks } from '#tasks/video/rules/transcode/sound-tracks.ts'
import { readHeader } from './cmaf.ts'
import { commandOf, type Filter, type Input, mapStream, withOptions } from './command.ts'
import type { MediaTools, RunResult } from './media-tools.ts'
import { filesOnly, fileUrl, fromMezzanine } from './untrusted.ts'
import { faultOf } from './verdict.ts'
import { inWorkspace, progressOf, stopwatch } from './workspace.ts'

const sampleRate = 48_000
/** Samples that ffmpeg's AAC encoder puts before the sound; a decoder plays them. */
const priming = 1024

/** Samples of the track that a film's pictures need, without the encoder's priming. */
const lengthFor = (seconds: number) => Math.max(1, Math.round(seconds * sampleRate) - priming)

/** The sound on the clock of the picture, as 48 kHz stereo. Gaps of more than 0.1 s in the source's times become silence. */
function resampled({ timeline }: Mezzanine): Filter[] {
  const clock = timeline ? `PTS-(${timeline.first * toNumber(timeline.timeBase)}/TB)` : 'PTS-STARTPTS'
  return [
    { filter: 'asetpts', options: clock },
    { filter: 'aformat', options: { sample_rates: sampleRate, channel_layouts: 'stereo' } },
    { filter: 'aresample', options: { async: 1, first_pts: priming } },
  ]
}

/**
 * The sound less its first 1,024 samples (21 ms), in whose place the encoder puts its priming: so the first packet is at 0 and needs no edit
 * list, and what follows is heard when it should be by players that know edit lists and by those that do not. The track is as long as
 * the film.
 */
function filters(mezzanine: Mezzanine, seconds: number): Filter[] {
  if (!mezzanine.timeline && soundTracks(mezzanine.probe).length === 1) return resampled(mezzanine)
  const length = lengthFor(seconds)
  return [
    ...resampled(mezzanine),
    { filter: 'apad', options: { whole_len: length } },
    { filter: 'atrim', options: { end_pts: priming + length } },
  ]
}

/** Silence in the place of a film's sound. */
const silence = (seconds: number): Input => ({
  source: `anullsrc=r=${sampleRate}:cl=stereo,atrim=end_sample=${lengthFor(seconds)},asetpts=PTS+${priming}`,
  options: [...filesOnly('lavfi'), '-f', 'lavfi'],
})

/** Whether a file has any samples: where no packet could be decoded, ffmpeg ends in order and writes a file without a track. */
async function sounds(path: string): Promise<boolean> {
  const { samples } = await readHeader(path).catch(() => ({ samples: 0 }))
  return samples > 0
}

/** Whether a run failed only because most packets could not be decoded (ffmpeg's status 69); what could be is in its file. */
const isGarbled = ({ messages }: RunResult) => messages.some((line) => /Error while decoding/.test(line))

/**
 * Encodes a whole sound track in one go: AAC-LC, 48 kHz, stereo, 128 kbit/s. In chunks each would add 21 ms of priming.
 * A track that cannot be decoded becomes silence, as players play it so, unless it is all that there is.
 */
export async function encodeAudio(
  tools: MediaTools,
  { mezzanine, place = 0, seconds = mezzanine.seconds, folder }: AudioInput,
  call: EngineCall,
): Promise<EncodedAudio> {
  const track = soundTracks(mezzanine.probe)[place]
  if (!track) throw new TypeError(`A file without sound track ${place} has none to encode.`)
  const file = soundFile(place)
  const isNeeded = place === 0
  const clock = stopwatch()
  const tell = progressOf(call, seconds)
  return inWorkspace(folder, async (workspace) => {
    const output = join(workspace.folder, file)
    const encode = (command: FfmpegCommand, to = output) =>
      tools.ffmpeg(
        command.output(fileUrl(to)).audioCodec('aac').audioBitrate(128).outputOptions('-map_metadata', '-1'),
        {
          call,
          timeout: 300_000 + Math.max(seconds, mezzanine.seconds) * 1_000,
          onProgress: (done) => tell(done.seconds),
        },
      )
    const source = (wanted: Filter[]) =>
      commandOf(withOptions(['-copyts', '-vn'], fromMezzanine(mezzanine.path)))
        .outputOptions(...mapStream(`0:${track.index}`))
        .audioFilters(wanted)
    const run = await encode(source(filters(mezzanine, seconds)))
    if (isNeeded && !run.ok && !isGarbled(run)) throw faultOf(run.messages, 'corrupt')
    /** Whether there is any sound before it is padded. */
    const isHeard = async () => {
      const bare = join(workspace.folder, `bare-${file}`)
      await encode(source(resampled(mezzanine)), bare)
      return await sounds(bare)
    }
    const undecodable = !(await sounds(output)) || (run.errors > 0 && !(await isHeard()))
    if (undecodable) {
      if (isNeeded && !mezzanine.timeline) throw new MediaFault('corrupt', run.messages.join('\n'))
      await encode(commandOf(silence(seconds)))
    }
    const { size: bytes } = await stat(output)
    await workspace.publish([file])
    const cost = { cpuSeconds: run.cpuSeconds, wallSeconds: clock() }
    return { path: join(folder, file), bytes, seconds, undecodable, ...cost }
  })
}
