import { join } from 'node:path'
import type { Package } from '#tasks/video/engine.ts'
import { firstShown } from './boxes.ts'
import { ffmpeg, ffprobe } from './ffmpeg.ts'

/** Seconds from the first picture to the first packet of sound, for a player that goes by the fragments' times and the edit lists. */
export async function soundLead({ folder, renditions }: Package): Promise<number> {
  const [picture] = renditions
  const first = async (name: string) =>
    await firstShown(join(folder, `${name}_init.mp4`), join(folder, `${name}_00000.m4s`))
  return (await first('audio')) - (await first(picture?.name ?? ''))
}

/** Decodes a playlist with every error fatal; what the tool complained of, empty when clean. */
export async function decode(playlist: string): Promise<string> {
  return await ffmpeg('-xerror', '-i', playlist, '-f', 'null', '-').then(
    () => '',
    (error: Error) => error.message,
  )
}

/** Decode times of a playlist's packets, in ticks. */
export async function decodeTimes(playlist: string): Promise<number[]> {
  const packets = await ffprobe(playlist, 'packet=dts')
  return packets.map(({ dts }) => Number(dts))
}

/** The seconds of each segment that a media playlist tells. */
export function segmentLengths(playlist: string): number[] {
  return [...playlist.matchAll(/#EXTINF:([\d.]+)/g)].map(([, seconds]) => Number(seconds))
}

/** Whether every number is larger than the one before. */
export const rises = (values: number[]): boolean => values.every((value, i) => i === 0 || value > (values[i - 1] ?? 0))

/** Mean luma and chroma (0 to 255) of a small part of a picture, at fractions of its width and height. */
export async function colourAt(
  path: string,
  x: number,
  y: number,
): Promise<{ luma: number; blue: number; red: number }> {
  const spot = `crop=w=iw/10:h=ih/10:x=iw*${x}:y=ih*${y},scale=2:2:flags=area,format=yuv444p`
  const [luma = 0, , , , blue = 0, , , , red = 0] = await ffmpeg(
    '-i',
    path,
    '-vf',
    spot,
    '-frames:v',
    '1',
    '-f',
    'rawvideo',
    '-',
  )
  return { luma, blue, red }
}

/** Size, pixel aspect and pixel format of a playlist's picture, by ffprobe. */
export async function pictureFacts(playlist: string) {
  const [stream] = await ffprobe(
    playlist,
    'stream=width,height,sample_aspect_ratio,pix_fmt,color_transfer',
    '-select_streams',
    'v:0',
  )
  return stream
}
