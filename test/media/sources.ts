import { ffmpeg } from './ffmpeg.ts'

/** A picture whose 16 stripes tell its frame number in binary, so that any decoder can read which frame it is. */
export function numbered(rate: string, seconds: number, size = '320:180'): string {
  // Computed on 16 pixels, then enlarged: a thousand frames take a tenth of a second.
  const bits = "lum='if(mod(floor(N/pow(2,X)),2),235,16)':cb=128:cr=128"
  return `nullsrc=s=16x2:r=${rate}:d=${seconds},format=yuv420p,geq=${bits},scale=${size}:flags=neighbor,format=yuv420p,setsar=1`
}

/** Reads the frame numbers of `numbered` pictures in the order they are shown, after a filter of ffmpeg's own if one is given. */
export async function readNumbers(path: string, filter = 'null'): Promise<number[]> {
  const stripes = `${filter},scale=16:1:flags=area,format=gray`
  const pixels = await ffmpeg('-i', path, '-fps_mode', 'passthrough', '-vf', stripes, '-f', 'rawvideo', '-')
  return Array.from({ length: pixels.length / 16 }, (_, frame) =>
    Array.from(pixels.subarray(frame * 16, frame * 16 + 16)).reduce(
      (sum, luma, bit) => sum + (luma > 125 ? 2 ** bit : 0),
      0,
    ),
  )
}

/** Arguments that make a quick H.264 with B-frames and groups that fit no chunk, as cameras and editors do. */
export const h264 = ['-c:v', 'libx264', '-preset', 'ultrafast', '-bf', '3', '-g', '110', '-pix_fmt', 'yuv420p']

/** A murmur, always the same one; a pure tone takes the encoder of sound four times as long. */
const murmur = 'anoisesrc=c=pink:a=0.1:seed=1'

/** Makes a film of a lavfi picture, with a murmur unless told otherwise. */
export async function film(
  path: string,
  picture: string,
  {
    sound = murmur,
    codec = h264,
    more = [] as string[],
  }: { sound?: string | null; codec?: string[]; more?: string[] } = {},
): Promise<string> {
  const audio = sound ? ['-f', 'lavfi', '-i', sound, '-shortest', '-c:a', 'aac', '-ar', '48000'] : []
  await ffmpeg('-f', 'lavfi', '-i', picture, ...audio, ...codec, ...more, path)
  return path
}
