import t from 'tap'
import { summariseTimeline } from '#tasks/video/rules/hls/timeline.ts'
import { chunkRange, planChunks } from '#tasks/video/rules/transcode/chunks.ts'
import { outputRate } from '#tasks/video/rules/transcode/frame-rate.ts'
import { type Rational, rational } from '#tasks/video/rules/transcode/rational.ts'

/** A timeline of frames at the given ticks, with a key frame every `group`. */
function of(ticks: number[], timeBase: Rational, { group = 60, duration = 0, hints = [] as Rational[] } = {}) {
  const packets = ticks.map((pts, i) => ({ pts, duration, key: i % group === 0, hidden: false }))
  const timeline = summariseTimeline({ timeBase, packets, hints })
  if (!timeline) throw new Error('no timeline')
  return timeline
}

const steady = (count: number, rate: Rational, timeBase: Rational) =>
  Array.from({ length: count }, (_, i) => Math.round((i * rate.den * timeBase.den) / (rate.num * timeBase.num)))
const millisecond = rational(1, 1000)

t.test('a constant rate is found in times rounded to milliseconds, over three hours', async (t) => {
  for (const rate of [
    rational(24000, 1001),
    rational(25),
    rational(30000, 1001),
    rational(30),
    rational(60000, 1001),
    rational(60),
  ]) {
    const count = Math.round((3 * 3600 * rate.num) / rate.den)
    t.match(
      of(steady(count, rate, millisecond), millisecond),
      { constant: true, rate, frames: count },
      `${rate.num}/${rate.den}`,
    )
  }
})

t.test('an unusual constant rate is taken from the container or from the times', async (t) => {
  t.match(of(steady(200, rational(17), millisecond), millisecond, { hints: [rational(17)] }), {
    constant: true,
    rate: rational(17),
  })
  t.match(of(steady(200, rational(40), rational(1, 12_800)), rational(1, 12_800)), {
    constant: true,
    rate: rational(40),
  })
})

t.test('uneven times have the rate of their usual gap', async (t) => {
  const phone = steady(300, rational(30), rational(1, 90_000)).filter((_, i) => i % 9 !== 4)
  t.match(of(phone, rational(1, 90_000)), { constant: false, rate: rational(30) })
  t.match(of([0, 400, 5_000, 5_400, 60_000], millisecond, { duration: 400 }), {
    constant: false,
    frames: 5,
  })
})

t.test('a single frame, a thousand a second and one a minute have an output rate', async (t) => {
  const still = of([0], millisecond, { duration: 0 })
  t.match(outputRate(still, 'standard_vod'), { num: 30, den: 1 })
  t.equal(planChunks(still, rational(30)).frames, 1)
  t.match(outputRate(of(steady(500, rational(1000), millisecond), millisecond), 'standard_vod'), { num: 1000, den: 17 })
  const slides = of([0, 60_000, 120_000], millisecond, { duration: 60_000 })
  t.ok(outputRate(slides, 'standard_vod').num >= outputRate(slides, 'standard_vod').den, 'at least one a second')
  t.equal(planChunks(slides, outputRate(slides, 'standard_vod')).frames, 180)
})

t.test('caps leave out every other frame, not one now and then', async (t) => {
  const capped = (rate: Rational, profile: 'standard_vod' | 'fast_social') => {
    const { num, den } = outputRate(of(steady(240, rate, rational(1, 240_000)), rational(1, 240_000)), profile)
    return `${num}/${den}`
  }
  t.equal(capped(rational(60), 'standard_vod'), '60/1')
  t.equal(capped(rational(120), 'standard_vod'), '60/1')
  t.equal(capped(rational(60), 'fast_social'), '30/1')
  t.equal(capped(rational(60000, 1001), 'fast_social'), '30000/1001')
  t.equal(capped(rational(50), 'fast_social'), '25/1')
  t.equal(capped(rational(30000, 1001), 'fast_social'), '30000/1001')
})

t.test('chunks are whole segments, which are whole groups, and hold every frame once', async (t) => {
  for (const [rate, frames] of [
    [rational(30), 1800],
    [rational(30000, 1001), 107_892],
    [rational(24000, 1001), 999],
    [rational(25, 2), 12_345],
    [rational(60), 7],
  ] as const) {
    const plan = planChunks(of(steady(frames, rate, rational(1, 120_000)), rational(1, 120_000)), rate)
    t.equal(plan.segment, 3 * plan.gop)
    t.equal(plan.chunk % plan.segment, 0)
    t.ok(plan.chunk * rate.den >= 11.9 * rate.num, 'twelve seconds or more')
    const ranges = Array.from({ length: plan.count }, (_, i) => chunkRange(plan, i))
    t.equal(
      ranges.reduce((next, { first, frames }) => (first === next ? first + frames : Number.NaN), 0),
      frames,
    )
    t.ok(plan.count === 1 || (ranges.at(-1)?.frames ?? 0) >= plan.chunk / 2, 'no tail shorter than half a chunk')
    t.throws(() => chunkRange(plan, plan.count), RangeError)
  }
})

t.test('29.97 frames a second have groups of 60 and segments of 180 frames', async (t) => {
  const rate = rational(30000, 1001)
  t.match(planChunks(of(steady(1800, rate, rational(1, 30_000)), rational(1, 30_000)), rate), {
    gop: 60,
    segment: 180,
    chunk: 360,
    count: 5,
  })
})

t.test('sparse key frames make longer chunks, as each decodes from the one before', async (t) => {
  const times = steady(9000, rational(30), rational(1, 15_360))
  t.equal(planChunks(of(times, rational(1, 15_360), { group: 60 }), rational(30)).chunk, 24 * 30)
  t.equal(planChunks(of(times, rational(1, 15_360), { group: 450 }), rational(30)).chunk, 48 * 30)
  t.equal(planChunks(of(times, rational(1, 15_360), { group: 9000 }), rational(30)).chunk, 60 * 30)
})
