import t from 'tap'
import { planThumbnails, sheetFiles, thumbnailsTrack } from '#tasks/video/rules/hls/thumbnails.ts'
import { rational } from '#tasks/video/rules/transcode/rational.ts'

const chunks = (frames: number) => ({ rate: rational(30), gop: 60, segment: 180, chunk: 720, count: 1, frames })

t.test('a film of three hours has three sheets of a hundred pictures at most', async (t) => {
  const plan = chunks(3 * 3600 * 30)
  const thumbnails = planThumbnails({ width: 640, height: 360 }, plan)
  t.match(thumbnails, { count: 300, every: 18, columns: 10, rows: 10, size: { width: 160, height: 90 } })
  t.strictSame(sheetFiles(thumbnails), ['thumbnails_000.jpg', 'thumbnails_001.jpg', 'thumbnails_002.jpg'])
  const track = thumbnailsTrack(thumbnails, plan)
  t.match(track, '01:00:00.000 --> 01:00:36.000\nthumbnails_001.jpg#xywh=0,0,160,90\n')
  t.match(track, /02:59:24\.000 --> 03:00:00\.000\nthumbnails_002\.jpg#xywh=1440,810,160,90\n$/)
})

t.test('a still has one picture, and a portrait one that is as high as a landscape is wide', async (t) => {
  const thumbnails = planThumbnails({ width: 360, height: 640 }, chunks(1))
  t.match(thumbnails, { count: 1, every: 1, columns: 1, rows: 1, size: { width: 90, height: 160 } })
  t.equal(
    thumbnailsTrack(thumbnails, chunks(1)),
    'WEBVTT\n\n00:00:00.000 --> 00:00:00.033\nthumbnails_000.jpg#xywh=0,0,90,160\n',
  )
})
