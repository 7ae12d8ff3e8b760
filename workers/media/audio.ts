import { stat } from 'node:fs/promises'
import { join } from 'node:path'
import { audioFile } from '#tasks/video/chunks.ts'
import type { EncodedFile, EngineCall, Mezzanine } from '#tasks/video/engine.ts'
import { MediaFault } from '#tasks/video/media-fault.ts'
import { toNumber } from '#tasks/video/rational.ts'
import { readHeader } from './cmaf.ts'
import type { RunResult, Sandbox } from './sandbox.ts'
import { fileUrl, fromMezzanine } from './untrusted.ts'
import { faultOf } from './verdict.ts'
import { inWorkspace, progressOf, stopwatch } from './workspace.ts'

const sampleRate = 48_000
/** Samples that ffmpeg's AAC encoder puts before the sound; a decoder plays them. */
const priming = 1024

/** Samples of the track that a film's pictures need, without the encoder's priming. */
const lengthFor = (seconds: number) => Math.max(1, Math.round(seconds * sampleRate) - priming)

/**
 * The sound on the clock of the picture, less its first 1,024 samples (21 ms), in whose place the encoder puts its priming: so the first packet
 * is at 0 and needs no edit list, and what follows is heard when it should be by players that know edit lists and by those that do not.
 * Gaps of more than 0.1 s in the source's times become silence, and the track is as long as the picture at least.
 */
function filters({ timeline, seconds }: Mezzanine): string {
  const clock = timeline ? `asetpts=PTS-(${timeline.first * toNumber(timeline.timeBase)}/TB)` : 'asetpts=PTS-STARTPTS'
  return [
    clock,
    `aformat=sample_rates=${sampleRate}:channel_layouts=stereo`,
    `aresample=async=1:first_pts=${priming}`,
    ...(timeline ? [`apad=whole_len=${lengthFor(seconds)}`] : []),
  ].join(',')
}

/** Silence in the place of a film's sound. */
const silence = (seconds: number) =>
  `anullsrc=r=${sampleRate}:cl=stereo,atrim=end_sample=${lengthFor(seconds)},asetpts=PTS+${priming}`

/** Whether a file holds any sound: where no packet could be decoded, ffmpeg ends in order and writes a file without a track. */
async function sounds(path: string): Promise<boolean> {
  const { samples } = await readHeader(path).catch(() => ({ samples: 0 }))
  return samples > 0
}

/** Whether a run failed only because most packets could not be decoded (ffmpeg's status 69); what could be is in its file. */
const isGarbled = ({ messages }: RunResult) => messages.some((line) => /Error while decoding/.test(line))

/**
 * Encodes the whole sound track in one go: AAC-LC, 48 kHz, stereo, 128 kbit/s. In chunks each would add 21 ms of priming.
 * A film whose sound cannot be decoded gets silence, as players play it so.
 */
export async function encodeAudio(
  sandbox: Sandbox,
  { mezzanine, folder }: { mezzanine: Mezzanine; folder: string },
  call: EngineCall,
): Promise<EncodedFile> {
  const { audio } = mezzanine.probe
  if (!audio) throw new TypeError('A file without sound has none to encode.')
  const clock = stopwatch()
  const tell = progressOf(call, mezzanine.seconds)
  return inWorkspace(folder, async (workspace) => {
    const output = join(workspace.folder, audioFile)
    const encode = (input: string[]) =>
      sandbox.run({
        tool: 'ffmpeg',
        args: [...input, '-c:a', 'aac', '-b:a', '128k', '-map_metadata', '-1', fileUrl(output)],
        call,
        timeout: 300_000 + mezzanine.seconds * 1_000,
        onProgress: ({ seconds }) => tell(seconds),
      })
    const source = ['-copyts', '-vn', ...fromMezzanine(mezzanine.path), '-map', `0:${audio.index}`]
    const run = await encode([...source, '-af', filters(mezzanine)])
    if (!run.ok && !isGarbled(run)) throw faultOf(run.messages, 'corrupt')
    if (!(await sounds(output))) {
      if (!mezzanine.timeline) throw new MediaFault('corrupt', run.messages.join('\n'))
      await encode(['-f', 'lavfi', '-i', silence(mezzanine.seconds)])
    }
    const { size: bytes } = await stat(output)
    await workspace.publish([audioFile])
    const { cpuSeconds } = run
    return { path: join(folder, audioFile), bytes, seconds: mezzanine.seconds, cpuSeconds, wallSeconds: clock() }
  })
}
