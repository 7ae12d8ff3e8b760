import t from 'tap'
import { type CutPart, PartCutter } from '../../workers/live/origin/part-cutter.ts'
import type { Track } from '../../workers/live/origin/tracks.ts'

const timescale = 90_000
const video = { id: 1, kind: 'video', timescale } as Track

/** Cuts frames of these times and durations in ticks; says after how many frames each part was there. */
function cut(frames: { time: number; duration: number; isKey: boolean }[]) {
  const parts: (Pick<CutPart, 'frames' | 'duration'> & { ends: boolean; after: number })[] = []
  let after = 0
  const cutter = new PartCutter([video], { part: 0.2, segment: 2 }, ({ frames, duration }, ends) =>
    parts.push({ frames, duration, ends, after }),
  )
  for (const { time, duration, isKey } of frames) {
    after++
    const sample = { duration, composition: 0, flags: isKey ? 0 : 0x10000, data: Buffer.from([0]) }
    cutter.add({ track: video.id, time, samples: [sample] })
  }
  return { parts, target: cutter.target }
}

const steady = (duration = 3000) =>
  Array.from({ length: 150 }, (_, i) => ({ time: 3000 * i, duration, isKey: i % 60 === 0 }))

t.test('a part is there as soon as the first frame after it has arrived', async (t) => {
  const { parts } = cut(steady())
  const whole = parts.slice(1)
  t.ok(whole.length > 15)
  let before = parts[0]?.frames ?? 0
  for (const { frames, after } of whole) {
    before += frames
    t.equal(after, before + 1)
  }
  t.same(
    parts.filter(({ ends }) => ends).map(({ after }) => after),
    [43, 121],
    'a segment ends when the key frame of the next one has arrived; the first one is short',
  )
})

for (const [estimate, duration] of [
  ['too short', 1],
  ['too long', 9000],
] as const)
  t.test(`a part keeps its rules if the announced duration of a frame is ${estimate}`, async (t) => {
    const { parts, target } = cut(steady(duration))
    t.ok(parts.length > 15)
    for (const { duration, ends } of parts) {
      t.ok(duration <= target)
      t.ok(ends || duration >= 0.85 * target, 'only the last part of a segment may be shorter')
    }
  })
