import { join } from 'node:path'
import type { Test } from 'tap'
import { mint } from '../../ops/video-client.ts'
import { ffmpeg } from '../media/ffmpeg.ts'
import { film, numbered } from '../media/sources.ts'
import { decodeErrors, frameCounts, readStreams } from '../support/hls.ts'
import type { VideoStack } from '../support/video-stack.ts'

/** How films are encoded that a browser plays as they are. */
export const quick = ['-c:v', 'libx264', '-preset', 'ultrafast', '-g', '50', '-pix_fmt', 'yuv420p']

/** That a ready asset has every frame in every rendition, over HTTP, and decodes without an error; returns its streams. */
export async function checkPlayback(
  t: Test,
  stack: VideoStack,
  assetId: string,
  { frames, seconds }: { frames?: number; seconds: number },
) {
  const { hlsUrl, durationSeconds } = (await mint(stack.api, assetId)) as { hlsUrl: string; durationSeconds?: number }
  t.equal(durationSeconds, Math.round(seconds), 'the session tells the length')
  const counts = await frameCounts(hlsUrl)
  t.strictSame(
    counts,
    counts.map(() => frames),
    'every rendition has every frame of the source, over HTTP',
  )
  t.equal(counts.length === 0, frames === undefined)
  t.equal(await decodeErrors(hlsUrl), '', 'another decoder finds no error')
  return { hlsUrl, streams: await readStreams(hlsUrl) }
}

/** Sources that no browser plays as they are, or that are special; each is made, sent and checked. */
const specialsIn = (
  at: (name: string) => string,
): Record<
  string,
  { make: () => Promise<string>; facts?: object; frames?: number; seconds: number; asset: object }
> => ({
  'MPEG-2 in a transport stream': {
    make: () =>
      film(at('cast.ts'), numbered('25', 4), { codec: ['-c:v', 'mpeg2video', '-bf', '2'], more: ['-c:a', 'mp2'] }),
    frames: 100,
    seconds: 4,
    asset: { width: 320, height: 180, frameRate: 25 },
  },
  'VP9 with Opus in WebM': {
    make: () =>
      film(at('web.webm'), numbered('30', 4), {
        codec: ['-c:v', 'libvpx-vp9', '-deadline', 'realtime', '-cpu-used', '8', '-threads', '1'],
        more: ['-c:a', 'libopus'],
      }),
    frames: 120,
    seconds: 4,
    asset: { width: 320, frameRate: 30 },
  },
  'Motion JPEG with PCM in QuickTime': {
    make: () => film(at('cam.mov'), numbered('24', 4), { codec: ['-c:v', 'mjpeg'], more: ['-c:a', 'pcm_s16le'] }),
    frames: 96,
    seconds: 4,
    asset: { frameRate: 24 },
  },
  'a film without sound': {
    make: () => film(at('silent.mp4'), numbered('30', 4), { codec: quick, sound: null }),
    frames: 120,
    seconds: 4,
    asset: { renditions: [{ name: '180p', width: 320, height: 180, codec: /^avc1/ }] },
  },
  'a recording without pictures': {
    make: async () => {
      await ffmpeg('-f', 'lavfi', '-i', 'anoisesrc=c=pink:a=0.1:d=8', '-c:a', 'libmp3lame', at('song.mp3'))
      return at('song.mp3')
    },
    seconds: 8,
    asset: { width: null, height: null, frameRate: null, renditions: [{ name: 'audio', codec: 'mp4a.40.2' }] },
  },
  'a film that a phone has turned': {
    make: async () => {
      await film(at('flat.mp4'), numbered('30', 3), { codec: quick })
      await ffmpeg('-i', at('flat.mp4'), '-c', 'copy', '-metadata:s:v', 'rotate=90', at('turned.mp4'))
      return at('turned.mp4')
    },
    frames: 90,
    seconds: 3,
    asset: { width: 180, height: 320, renditions: [{ width: 180, height: 320 }, { name: 'audio' }] },
  },
  'a tall film at 60 frames for fast_social': {
    make: () => film(at('tall.mp4'), numbered('60', 1, '1080:2400'), { codec: quick }),
    facts: { processingProfile: 'fast_social' },
    frames: 30,
    seconds: 1,
    asset: { processingProfile: 'fast_social', width: 1080, height: 2400, renditions: [{ width: 864, height: 1920 }] },
  },
})

/** The names of those films. */
export const specialNames = Object.keys(specialsIn(String))

/** Makes and sends the films of these names, and has each become ready with all its frames. */
export async function becomeReady(t: Test, stack: VideoStack, names: readonly string[]): Promise<void> {
  const specials = specialsIn((name) => join(stack.data, name))
  const sent = await Promise.all(
    names.map(async (name) => {
      const special = specials[name]
      if (!special) throw new Error(`no film ${name}`)
      return { name, ...special, id: await stack.send(await special.make(), { ...special.facts }) }
    }),
  )
  for (const { name, id, frames, seconds, asset } of sent) {
    await t.test(name, async (t) => {
      await stack.ready(id)
      const read = await stack.read(id)
      t.match(read, asset)
      t.ok(Math.abs(read.durationSeconds - seconds) < 0.3, `${read.durationSeconds} s`)
      await checkPlayback(t, stack, id, { ...(frames !== undefined && { frames }), seconds })
    })
  }
}
