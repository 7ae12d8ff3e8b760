import { readFile, rename, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { ffmpeg } from '../ffmpeg.ts'
import { film, h264, numbered } from '../sources.ts'
import { type Case, small } from './case.ts'

const odd = (name: string, file: string, make: Case['make'], more: Partial<Case> = {}): Case => ({
  ...small,
  name,
  file,
  make,
  ends: ['ready'],
  ...more,
})

const bars = (size: string, rate: string, seconds: number) => `testsrc2=s=${size}:r=${rate}:d=${seconds}`

/** A film without sound. */
const silent =
  (picture: string, codec = h264, more: string[] = []) =>
  (path: string) =>
    film(path, picture, { sound: null, codec, more })

/** A film with some sound. */
const sounding = (sound: string, codec: string[]) => (path: string) =>
  ffmpeg('-f', 'lavfi', '-i', bars('320x180', '25', 2), '-f', 'lavfi', '-i', sound, ...h264, ...codec, path)

/** Turns a film by a matrix in its head. */
const turned = (degrees: number) => async (path: string, folder: string) => {
  const flat = await film(join(folder, 'flat.mov'), bars('320x180', '25', 2), { sound: null })
  await ffmpeg('-i', flat, '-c', 'copy', '-metadata:s:v', `rotate=${degrees}`, path)
}

async function withCover(path: string, folder: string): Promise<void> {
  const cover = join(folder, 'cover.jpg')
  await ffmpeg('-f', 'lavfi', '-i', 'color=red:s=300x300', '-frames:v', '1', cover)
  const codec = ['-c:a', 'libmp3lame', '-c:v', 'mjpeg', '-disposition:v', 'attached_pic']
  await ffmpeg('-f', 'lavfi', '-i', 'sine=d=8', '-i', cover, '-map', '0', '-map', '1', ...codec, path)
}

/** An AVI whose head says that its pictures come at no rate. */
async function noRate(path: string): Promise<void> {
  await film(path, bars('320x180', '25', 2), { sound: null, codec: ['-c:v', 'mpeg4'] })
  const bytes = await readFile(path)
  const head = bytes.indexOf('strh') + 8
  bytes.writeUInt32LE(0, bytes.indexOf('avih') + 8)
  bytes.writeUInt32LE(0, head + 24)
  await writeFile(path, bytes)
}

const dots = ['-f', 'rawvideo', '-pix_fmt', 'gray', '-video_size', '1x1', '-framerate', '25', '-i', '/dev/zero']
const hdr = 'colorprim=bt2020:transfer=smpte2084:colormatrix=bt2020nc:log-level=none'
const hevc = ['-c:v', 'libx265', '-preset', 'ultrafast', '-pix_fmt', 'yuv420p10le', '-x265-params', hdr]
const uneven = "setpts='(N+0.7*random(0))/25/TB'"

/** Names that a shell, a URL, ffmpeg's patterns or a screen would take for something else. */
const names = [
  'Übung – 影片 🎬.mp4',
  '%d-%03d.mp4',
  '-i.mp4',
  'http:x.mp4',
  'a\'b"c`d.mp4',
  'a\nb|c;d.mp4',
  '\u202egpj.mp4',
]

/** Files that are sound and unlike most. */
export const oddities: readonly Case[] = [
  odd('1x1', 'pixel.mkv', (path) => ffmpeg(...dots, '-frames:v', '25', '-c:v', 'ffv1', path)),
  odd('2 seconds', 'short.mp4', (path) => film(path, bars('640x360', '30', 2))),
  odd('no rate', 'norate.avi', noRate),
  odd(
    'all frames at one time',
    'still.mkv',
    silent(`${bars('320x180', '25', 2)},setpts=0`, [...h264, '-fps_mode', 'passthrough']),
  ),
  odd('1000 frames a second', 'rapid.mp4', silent(bars('64x64', '1000', 1))),
  odd('one frame', 'one.mp4', silent(bars('320x180', '25', 0.04))),
  odd('uneven times', 'uneven.mp4', silent(`${bars('320x180', '25', 6)},${uneven}`, [...h264, '-fps_mode', 'vfr'])),
  odd(
    'a minute between two frames',
    'gap.mp4',
    silent(`${bars('64x64', '25', 2)},setpts='PTS+gte(N,25)*60/TB'`, [...h264, '-fps_mode', 'vfr']),
    { seconds: 40 },
  ),
  odd('negative times', 'negative.mkv', (path) =>
    film(path, numbered('25', 4), { more: ['-output_ts_offset', '-1.5', '-avoid_negative_ts', 'disabled'] }),
  ),
  odd('times that wrap', 'wrap.ts', (path) => film(path, numbered('25', 6), { more: ['-output_ts_offset', '95441'] })),
  odd('turned by 90°', 'turned.mov', turned(90)),
  odd('turned by 180°', 'over.mov', turned(180)),
  odd('turned by 37°', 'askew.mov', turned(37)),
  odd('HDR10', 'hdr.mp4', silent(bars('640x360', '25', 1), hevc)),
  odd('5.1 sound', 'surround.mov', sounding('aevalsrc=0.1*sin(440*t)|0|0|0|0|0:c=5.1:d=2', ['-c:a', 'ac3'])),
  odd('mono sound', 'mono.mov', sounding('sine=d=2:r=22050', ['-c:a', 'aac'])),
  odd('sound at 8 kHz', 'low.mov', sounding('sine=d=2:r=8000', ['-c:a', 'pcm_mulaw'])),
  odd('no sound', 'silent.mp4', silent(bars('320x180', '25', 2))),
  odd('sound only', 'sound.m4a', (path) => ffmpeg('-f', 'lavfi', '-i', 'sine=d=8', '-c:a', 'aac', path)),
  odd('sound only, as FLAC', 'sound.flac', (path) => ffmpeg('-f', 'lavfi', '-i', 'sine=d=8', path)),
  odd('a cover', 'cover.mp3', withCover),
  odd('3 hours of black at one frame a second', 'black.mp4', silent('color=black:s=160x90:r=1:d=10800'), {
    seconds: 300,
  }),
  odd('1080p, for the bound of memory', 'large.mp4', silent(bars('1920x1080', '30', 2)), {
    seconds: 60,
    memory: 1_229,
  }),
  ...names.map((file) =>
    odd(`named ${JSON.stringify(file)}`, file, (path) =>
      film(`${path}.made.mp4`, numbered('25', 2)).then((made) => rename(made, path)),
    ),
  ),
]
