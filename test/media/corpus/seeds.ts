import { mkdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { ffmpeg } from '../ffmpeg.ts'

const picture = ['-f', 'lavfi', '-i', 'testsrc2=s=64x64:r=10:d=1']
const sound = ['-f', 'lavfi', '-i', 'sine=d=1:r=16000']
const h264 = ['-c:v', 'libx264', '-preset', 'ultrafast', '-g', '5', '-pix_fmt', 'yuv420p']
const aac = ['-c:a', 'aac', '-b:a', '32k']

/** Small files of every container that is taken, by their names. */
const recipes: Record<string, string[]> = {
  'back.mp4': [...picture, ...sound, ...h264, ...aac],
  'front.mp4': [...picture, ...sound, ...h264, ...aac, '-movflags', '+faststart'],
  'fragments.mp4': [...picture, ...sound, ...h264, ...aac, '-movflags', '+frag_keyframe+empty_moov'],
  'film.mkv': [...picture, ...sound, ...h264, ...aac],
  'film.webm': [...picture, ...sound, '-c:v', 'libvpx', '-deadline', 'realtime', '-c:a', 'libopus'],
  'film.avi': [...picture, ...sound, '-c:v', 'mpeg4', '-c:a', 'libmp3lame'],
  'film.ts': [...picture, ...sound, ...h264, ...aac],
  'film.mpg': [...picture, ...sound, '-r', '25', '-c:v', 'mpeg2video', '-c:a', 'mp2'],
  'film.flv': [...picture, ...sound, ...h264, ...aac],
  'film.wmv': [...picture, ...sound, '-c:v', 'wmv2', '-c:a', 'wmav2'],
  'film.ogv': [...picture, ...sound, '-c:v', 'libtheora', '-c:a', 'libvorbis'],
  'film.mov': [...picture, ...sound, '-c:v', 'mjpeg', '-c:a', 'pcm_s16le'],
  'film.mxf': [...picture, '-r', '25', '-c:v', 'mpeg2video'],
  'sound.mp3': [...sound, '-c:a', 'libmp3lame'],
  'sound.wav': [...sound],
  'sound.flac': [...sound],
  'sound.aac': [...sound, ...aac],
}

/** Makes the named files, or all, in a folder; returns their bytes by name. */
export async function makeSeeds(folder: string, names = Object.keys(recipes)): Promise<Map<string, Buffer>> {
  await mkdir(folder, { recursive: true })
  const made = names.map(async (name) => {
    const path = join(folder, name)
    await ffmpeg(...(recipes[name] ?? []), path)
    return [name, await readFile(path)] as const
  })
  return new Map(await Promise.all(made))
}
