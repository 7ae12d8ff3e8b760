import { stat } from 'node:fs/promises'
import { join } from 'node:path'
import { audioFile } from '#tasks/video/chunks.ts'
import type { EncodedFile, EngineCall, Mezzanine } from '#tasks/video/engine.ts'
import { toNumber } from '#tasks/video/rational.ts'
import type { Sandbox } from './sandbox.ts'
import { fileUrl, fromMezzanine } from './untrusted.ts'
import { faultOf } from './verdict.ts'
import { inWorkspace, progressOf, stopwatch } from './workspace.ts'

const sampleRate = 48_000
/** Samples that ffmpeg's AAC encoder puts before the sound; a decoder plays them. */
const priming = 1024

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
    ...(timeline ? [`apad=whole_len=${Math.max(1, Math.round(seconds * sampleRate) - priming)}`] : []),
  ].join(',')
}

/** Encodes the whole sound track in one go: AAC-LC, 48 kHz, stereo, 128 kbit/s. In chunks each would add 21 ms of priming. */
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
    const run = await sandbox.run({
      tool: 'ffmpeg',
      args: [
        ...['-copyts', '-vn', ...fromMezzanine(mezzanine.path)],
        ...['-map', `0:${audio.index}`, '-af', filters(mezzanine)],
        ...['-c:a', 'aac', '-b:a', '128k', '-map_metadata', '-1', fileUrl(output)],
      ],
      call,
      timeout: 300_000 + mezzanine.seconds * 1_000,
      onProgress: ({ seconds }) => tell(seconds),
    })
    if (!run.ok) throw faultOf(run.messages, 'corrupt')
    const { size: bytes } = await stat(output)
    await workspace.publish([audioFile])
    const { cpuSeconds } = run
    return { path: join(folder, audioFile), bytes, seconds: mezzanine.seconds, cpuSeconds, wallSeconds: clock() }
  })
}
