import { join } from 'node:path'
import { z } from 'zod'
import type { EngineCall } from '#tasks/video/engine.ts'
import { createCommand, type Input } from '../command.ts'
import type { MediaTools } from '../media-tools.ts'
import { fileUrl, getFileOptions, openMezzanine } from '../untrusted.ts'
import { toMediaFault } from '../verdict.ts'

const Facts = z.object({
  streams: z.array(
    z.object({
      codec_type: z.string(),
      codec_name: z.string().default(''),
      profile: z.string().default(''),
      sample_rate: z.string().default(''),
      channels: z.number().default(0),
      width: z.number().default(0),
      height: z.number().default(0),
    }),
  ),
})

/** A recording: its image size, and its audio parameters as one string. */
interface Recording {
  file: string
  size: string | undefined
  sound: string | undefined
}

const entries = 'stream=codec_type,codec_name,profile,sample_rate,channels,width,height'

/** Creates silence or black frames for a track that a recording does not have. */
const generated = (source: string): Input => ({ source, options: [...getFileOptions('lavfi'), '-f', 'lavfi'] })

/**
 * Gives recordings the same tracks and audio parameters. They can differ because a track joined late or the encoder
 * changed. Video is copied. Audio becomes AAC of 48 kHz in stereo.
 */
export async function unifyRecordings(
  tools: MediaTools,
  { files, folder }: { files: readonly string[]; folder: string },
  call: EngineCall,
): Promise<readonly string[]> {
  const recordings: Recording[] = []
  for (const file of files) recordings.push(await read(tools, file, call))
  const size = recordings.find((one) => one.size !== undefined)?.size
  const sounds = new Set(recordings.map(({ sound }) => sound))
  const isAlike = sounds.size === 1 && recordings.every((one) => (one.size === undefined) === (size === undefined))
  if (isAlike) return files
  const hasSound = recordings.some(({ sound }) => sound !== undefined)
  const made: string[] = []
  for (const [i, recording] of recordings.entries()) {
    const output = join(folder, `alike-${i}.mp4`)
    await remake(tools, recording, { size, hasSound, output }, call)
    made.push(output)
  }
  return made
}

async function read(tools: MediaTools, file: string, call: EngineCall): Promise<Recording> {
  let text = ''
  const onOutput = (line: string) => {
    text += line
  }
  const run = await tools.ffprobe(['-of', 'json', '-show_entries', entries], openMezzanine(file), {
    ...{ call, timeout: 60_000, onOutput },
  })
  if (!run.ok) throw toMediaFault(run.messages, 'corrupt')
  const { streams } = Facts.parse(JSON.parse(text))
  const video = streams.find(({ codec_type }) => codec_type === 'video')
  const audio = streams.find(({ codec_type }) => codec_type === 'audio')
  return {
    file,
    size: video && `${video.width}x${video.height}`,
    sound: audio && [audio.codec_name, audio.profile, audio.sample_rate, audio.channels].join(),
  }
}

async function remake(
  tools: MediaTools,
  { file, size: own, sound }: Recording,
  { size, hasSound, output }: { size: string | undefined; hasSound: boolean; output: string },
  call: EngineCall,
): Promise<void> {
  const black = size !== undefined && own === undefined
  const silent = hasSound && sound === undefined
  const inputs = [
    openMezzanine(file),
    ...(black ? [generated(`color=black:size=${size}:rate=25`)] : []),
    ...(silent ? [generated('anullsrc=sample_rate=48000:channel_layout=stereo')] : []),
  ]
  const video = size === undefined ? [] : ['-map', black ? '1:v' : '0:v:0']
  const audio = hasSound ? ['-map', silent ? '1:a' : '0:a:0'] : []
  const pictures = black ? ['-c:v', 'libx264', '-preset', 'ultrafast', '-pix_fmt', 'yuv420p'] : ['-c:v', 'copy']
  const command = createCommand(...inputs)
    .output(fileUrl(output))
    .outputOptions(...video, ...audio, ...pictures)
    .outputOptions('-c:a', 'aac', '-ar', '48000', '-ac', '2', '-b:a', '128k', '-map_metadata', '-1')
    .outputOptions('-video_track_timescale', '90000', ...(black || silent ? ['-shortest'] : []))
    .format('mp4')
  const run = await tools.ffmpeg(command, { call, timeout: 1_800_000 })
  if (!run.ok) throw toMediaFault(run.messages, 'corrupt')
}
