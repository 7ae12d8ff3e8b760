import t from 'tap'
import type { VideoTrack } from '#tasks/video/engine.ts'
import { type ProcessingProfile, planLadder } from '#tasks/video/rules/transcode/ladder.ts'
import { rational } from '#tasks/video/rules/transcode/rational.ts'

const track = (width: number, height: number, more: Partial<VideoTrack> = {}): VideoTrack => ({
  index: 0,
  codec: 'h264',
  profile: 'High',
  level: 40,
  pixelFormat: 'yuv420p',
  width,
  height,
  pixelAspect: rational(1),
  rotation: 0,
  interlaced: false,
  range: 'sdr',
  fullRange: false,
  frameRate: rational(30),
  nominalRate: rational(30),
  declaredFrames: null,
  seconds: 60,
  ...more,
})

const ladder = (video: VideoTrack, profile: ProcessingProfile = 'standard_vod', fps = 30) =>
  planLadder(video, profile, rational(fps))
const sizes = (video: VideoTrack, profile?: ProcessingProfile) =>
  ladder(video, profile).map(({ name, width, height }) => `${name} ${width}x${height}`)

t.test('landscape fits 16:9 boxes of 1080, 720, 480 and 360 lines', async (t) => {
  const four = ['1080p 1920x1080', '720p 1280x720', '480p 854x480', '360p 640x360']
  t.strictSame(sizes(track(1920, 1080)), four)
  t.strictSame(sizes(track(3840, 2160)), four, '4K is brought down')
  t.strictSame(sizes(track(1440, 1080, { pixelAspect: rational(4, 3) })), four, 'HDV pixels are 4:3')
  t.strictSame(
    sizes(track(1920, 800)),
    ['1080p 1920x800', '720p 1280x534', '480p 854x356', '360p 640x266'],
    'a wide film stays whole',
  )
  t.strictSame(sizes(track(1440, 1080)), ['1080p 1440x1080', '720p 960x720', '480p 640x480', '360p 480x360'], '4:3')
})

t.test('no rendition is larger than its source', async (t) => {
  t.strictSame(sizes(track(1280, 720)), ['720p 1280x720', '480p 854x480', '360p 640x360'])
  t.strictSame(sizes(track(1600, 900)), ['720p 1280x720', '480p 854x480', '360p 640x360'])
  t.strictSame(sizes(track(640, 360)), ['360p 640x360'])
  t.strictSame(sizes(track(640, 352)), ['360p 640x352'], 'a few lines short of a rung counts as the rung')
  t.strictSame(sizes(track(1919, 1079))[0], '1080p 1918x1078', 'odd sizes lose a pixel')
})

t.test('a source below 360 lines has one rendition of its own even size', async (t) => {
  t.strictSame(sizes(track(320, 180)), ['180p 320x180'])
  t.strictSame(sizes(track(213, 121)), ['120p 212x120'])
  t.strictSame(sizes(track(1, 1)), ['2p 2x2'])
})

t.test('portrait is led by its short side, turned or stored so', async (t) => {
  const four = ['1080p 1080x1920', '720p 720x1280', '480p 480x854', '360p 360x640']
  t.strictSame(sizes(track(1080, 1920)), four)
  t.strictSame(sizes(track(1920, 1080, { rotation: 90 })), four)
  t.strictSame(sizes(track(1920, 1080, { rotation: 270 }), 'fast_social'), four)
  t.equal(sizes(track(1080, 2400))[0], '1080p 1080x2400')
})

t.test('fast_social holds portrait to 1920 px of height and landscape to 1080p', async (t) => {
  t.equal(sizes(track(1080, 2400), 'fast_social')[0], '1080p 864x1920')
  t.equal(sizes(track(2160, 3840), 'fast_social')[0], '1080p 1080x1920')
  t.equal(sizes(track(3840, 2160), 'fast_social')[0], '1080p 1920x1080')
  t.equal(ladder(track(3840, 2160), 'fast_social').length, 4, 'the lower ones are kept')
})

t.test('levels are the lowest of table A-1 that hold size, rate and bits', async (t) => {
  t.strictSame(
    ladder(track(1920, 1080)).map(({ level }) => level),
    ['4.0', '3.1', '3.1', '3.0'],
  )
  t.strictSame(
    ladder(track(1920, 1080), 'standard_vod', 60).map(({ level }) => level),
    ['4.2', '3.2', '3.1', '3.1'],
  )
})

t.test('every size has a ceiling of bits that falls with it, and rises for 60 frames a second', async (t) => {
  const ceilings = ladder(track(1920, 1080)).map(({ maxRate }) => maxRate)
  t.strictSame(ceilings, [5_350_000, 2_996_000, 1_499_070, 856_000])
  const fast = ladder(track(1920, 1080), 'standard_vod', 60)[0]
  t.ok((fast?.maxRate ?? 0) > 5_350_000 * 1.45 && (fast?.maxRate ?? 0) < 5_350_000 * 1.55)
})
