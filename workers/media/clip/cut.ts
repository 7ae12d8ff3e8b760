import { stat } from 'node:fs/promises'
import { z } from 'zod'
import type { ClipInput, EngineCall } from '#tasks/video/engine.ts'
import { MediaFault } from '#tasks/video/rules/transcode/media-fault.ts'
import { createCommand, type Filter, type FilterGraph, mapStream, withOptions } from '../command.ts'
import type { MediaTools } from '../media-tools.ts'
import { fileUrl, openMezzanine } from '../untrusted.ts'
import { toMediaFault } from '../verdict.ts'
import { progressOf } from '../workspace.ts'

const Facts = z.object({
  format: z.object({ start_time: z.coerce.number().catch(0) }),
  streams: z.array(z.object({ index: z.number(), codec_type: z.string().default('') })),
})

type Facts = z.infer<typeof Facts>

async function read(tools: MediaTools, path: string, call: EngineCall): Promise<Facts> {
  let text = ''
  const onOutput = (line: string) => {
    text += line
  }
  const entries = ['-of', 'json', '-show_entries', 'format=start_time:stream=index,codec_type']
  const run = await tools.ffprobe(entries, openMezzanine(path), { call, timeout: 60_000, onOutput })
  if (!run.ok) throw toMediaFault(run.messages, 'corrupt')
  return Facts.parse(JSON.parse(text))
}

/** Frames lie on a grid that containers round, so a frame up to a millisecond early belongs to the clip. */
const rounding = 0.001

const trim = (filter: 'trim' | 'atrim', from: number, to: number): Filter => ({
  filter,
  options: { start: from.toFixed(6), end: to.toFixed(6) },
})

/** High quality, because the clip is encoded again. Key frames are close enough for playback without conversion. */
const coding = [
  ...['-c:v', 'libx264', '-preset', 'superfast', '-crf', '16', '-maxrate', '20M', '-bufsize', '20M'],
  ...['-pix_fmt', 'yuv420p', '-flags', '+cgop', '-force_key_frames', 'expr:gte(t,n_forced*2)'],
  ...['-fps_mode', 'passthrough', '-c:a', 'aac', '-b:a', '192k', '-ar', '48000', '-ac', '2', '-map_metadata', '-1'],
]

const tagsOf = (sounds: ClipInput['sounds']): string[] =>
  sounds.flatMap(({ language, title }, i) => [
    ...(language ? [`-metadata:s:a:${i}`, `language=${language}`] : []),
    ...(title ? [`-metadata:s:a:${i}`, `title=${title}`] : []),
  ])

/**
 * Cuts exactly the frames from `start` to `end` into `output`. Both are seconds after the first timestamp of the video,
 * or of the first audio track.
 */
export async function cutClip(
  tools: MediaTools,
  { picture, sounds, start, end, output }: ClipInput,
  call: EngineCall,
): Promise<number> {
  const paths = [...(picture === null ? [] : [picture]), ...sounds.map(({ path }) => path)]
  const facts: Facts[] = []
  for (const path of paths) facts.push(await read(tools, path, call))
  const origin = facts[0]?.format.start_time ?? 0
  const [from, to] = [origin + start, origin + end]
  const graph: FilterGraph = []
  const maps: string[] = []
  for (const [i, { streams }] of facts.entries()) {
    const kind = i === 0 && picture !== null ? 'video' : 'audio'
    const stream = streams.find(({ codec_type }) => codec_type === kind)
    if (!stream) continue
    const cut: Filter[] =
      kind === 'video'
        ? [trim('trim', from - rounding, to - rounding), { filter: 'setpts', options: 'PTS-STARTPTS' }]
        : [
            trim('atrim', from, to),
            { filter: 'asetpts', options: `PTS-${from.toFixed(6)}/TB` },
            { filter: 'aresample', options: { async: 1, first_pts: 0 } },
          ]
    const [first, ...rest] = cut as [Filter, ...Filter[]]
    graph.push({ ...first, inputs: `${i}:${stream.index}`, outputs: `c${i}_0` })
    for (const [n, filter] of rest.entries()) graph.push({ ...filter, inputs: `c${i}_${n}`, outputs: `c${i}_${n + 1}` })
    maps.push(...mapStream(`[c${i}_${rest.length}]`))
  }
  if (maps.length === 0) throw new MediaFault('no_tracks')
  const command = createCommand(...paths.map((path) => withOptions(['-copyts'], openMezzanine(path))))
  command.complexFilter(graph)
  command.output(fileUrl(output)).outputOptions(...maps, ...coding, ...tagsOf(sounds))
  const tell = progressOf(call, end - start)
  const timeout = 600_000 + (end - start) * 20_000
  const run = await tools.ffmpeg(command, { call, timeout, onProgress: ({ seconds }) => tell(seconds) })
  const { size } = await stat(output).catch(() => ({ size: 0 }))
  if (!run.ok || size === 0) throw toMediaFault(run.messages, 'corrupt')
  return size
}
