import type { Test } from 'tap'
import type { Millrace } from '../../../sdk/node/src/index.ts'
import { fetchText } from '../../support/hls.ts'
import { until } from '../../support/until.ts'

/** The bike rental cuts a film of a ride, marks its chapters, chooses its images, and adds another language. */
export async function clipsWork(
  t: Test,
  { video }: Millrace,
  films: { harbour: string; coast: string },
): Promise<void> {
  const { harbour, coast } = films
  const clip = await video.clips.create(harbour, { start: 0.4, end: 1.4, title: 'The bridge' })
  const sound = await video.sounds.create(harbour, { sourceAssetId: coast, language: 'et', name: 'Eesti' })
  await video.chapters.put(harbour, {
    chapters: [
      { start: 0, title: 'Start' },
      { start: 1, title: 'Bridge' },
    ],
  })
  t.match(await video.posters.put(harbour, { time: 1 }), { posterSource: 'own' })
  await video.previews.put(harbour, { start: 0, duration: 1, width: 160, fps: 5 })

  const finished = await until(
    async () => {
      const [cut, heard, moving] = await Promise.all([
        video.assets.read(clip.assetId),
        video.sounds.read(harbour, sound.id),
        video.previews.read(harbour),
      ])
      return cut.status === 'ready' && heard.state === 'ready' && moving.state === 'ready' && { cut }
    },
    { what: 'the clip, the track and the preview are ready', timeout: 60_000 },
  )
  t.match(finished.cut, { title: 'The bridge', durationSeconds: 1, clipped_from: { assetId: harbour } })
  const found = []
  for await (const { id } of video.assets.list({ clippedFrom: harbour })) found.push(id)
  t.same(found, [clip.assetId])

  const { hlsUrl, window } = await video.playbackSessions.mint(harbour, { start: 0, end: 1 })
  t.match(window, { start: 0 })
  t.match(await fetchText(hlsUrl), /NAME="Eesti",LANGUAGE="et"/)
  t.match(await fetchText(new URL('chapters.vtt', hlsUrl).href), 'Bridge')
  t.equal((await fetch(new URL('preview.webp', hlsUrl))).headers.get('content-type'), 'image/webp')
  await video.sounds.remove(harbour, sound.id)
}
