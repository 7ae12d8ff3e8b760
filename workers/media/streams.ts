import { stat } from 'node:fs/promises'
import { z } from 'zod'
import type { EngineCall } from '#tasks/video/engine.ts'
import { type Input, withOptions } from './command.ts'
import type { MediaTools } from './media-tools.ts'
import { rejectStillImage } from './picture/still-image.ts'
import { toMediaFault } from './verdict.ts'

const count = z.coerce.number().catch(0)
const SideData = z.object({
  rotation: count,
  displaymatrix: z.string().default(''),
  dv_profile: z.number().optional(),
  dv_bl_signal_compatibility_id: z.number().optional(),
})
const Stream = z.object({
  index: z.number(),
  codec_type: z.string().default(''),
  codec_name: z.string().default('unknown'),
  profile: z.string().default(''),
  level: count,
  pix_fmt: z.string().default(''),
  width: count,
  height: count,
  sample_aspect_ratio: z.string().optional(),
  field_order: z.string().default('unknown'),
  color_range: z.string().default(''),
  color_transfer: z.string().default(''),
  avg_frame_rate: z.string().optional(),
  r_frame_rate: z.string().optional(),
  nb_frames: count,
  duration: count,
  sample_rate: count,
  channels: count,
  disposition: z.object({ attached_pic: z.number().default(0), default: z.number().default(0) }).default({
    attached_pic: 0,
    default: 0,
  }),
  side_data_list: z.array(SideData).default([]),
})
const Answer = z.object({
  format: z.object({ format_name: z.string(), duration: count, bit_rate: count }),
  streams: z.array(Stream).default([]),
})

export type Stream = z.infer<typeof Stream>

const streamFields = Object.keys(Stream.shape).filter((field) => field !== 'disposition' && field !== 'side_data_list')
// Requests only the fields that are used, because the tags of a file can have megabytes.
const entries = [
  'format=format_name,duration,bit_rate',
  `stream=${streamFields.join(',')}`,
  'stream_disposition=attached_pic,default',
  `stream_side_data=${Object.keys(SideData.shape).join(',')}`,
  'stream_side_data_list',
].join(':')

/**
 * How far ffmpeg reads into a file to find its tracks: about 5 s, or up to 10 min and 128 MiB. ffmpeg keeps this data
 * in memory. The properties of a track are known only from its first packets.
 */
export type Reach = 'usual' | 'far'

/**
 * Returns options that open a file with a reach. Every later read must use the same reach, so that track numbers match.
 */
export const getReachOptions = (reach: Reach): string[] =>
  reach === 'far' ? ['-probesize', String(128 * 2 ** 20), '-analyzeduration', '600M'] : []

export interface Streams extends z.infer<typeof Answer> {
  reach: Reach
  messages: string[]
  errors: number
}

const isUnknown = ({ codec_type: type, disposition, codec_name, width, pix_fmt, sample_rate }: Stream) =>
  disposition.attached_pic === 0 &&
  ((type === 'video' && (codec_name === 'unknown' || width === 0 || pix_fmt === '')) ||
    (type === 'audio' && (codec_name === 'unknown' || sample_rate === 0)))

interface Source {
  path: string
  open: (path: string) => Input
}

async function read(tools: MediaTools, { path, open }: Source, reach: Reach, call: EngineCall): Promise<Streams> {
  let text = ''
  const source = withOptions(getReachOptions(reach), open(path))
  const run = await tools.ffprobe(['-of', 'json', '-show_entries', entries], source, {
    call,
    timeout: reach === 'far' ? 300_000 : 60_000,
    onOutput: (line) => {
      text += line
    },
  })
  const { messages, errors } = run
  if (run.ok) return { ...Answer.parse(JSON.parse(text)), reach, messages, errors }
  // Throws ENOENT if the local copy was deleted. The video is not the cause of this error.
  await stat(path)
  await rejectStillImage(path)
  throw toMediaFault(messages, 'not_media')
}

export async function readStreams(
  tools: MediaTools,
  input: Source,
  call: EngineCall,
  reach: Reach = 'usual',
): Promise<Streams> {
  const found = await read(tools, input, reach, call)
  return reach === 'usual' && found.streams.some(isUnknown) ? await read(tools, input, 'far', call) : found
}
