import { join } from 'node:path'
import t from 'tap'
import { ffmpeg } from '../../media/ffmpeg.ts'
import { make, scratch } from '../../media/pipeline.ts'
import { film, numbered, readNumbers } from '../../media/sources.ts'

const folder = await scratch(t)
const upTo = (count: number) => Array.from({ length: count }, (_, i) => i)

const small = '160:90'

/** Two chunks, of 12 and 6 s, whose edge falls between key frames. */
const long = (rate: string) => numbered(rate, 18, small)

/** The numbers that a single run of ffmpeg's fps filter shows. */
const single = (source: string, rate: string) => readNumbers(source, `setpts=PTS-STARTPTS,fps=${rate}`)

async function shown(source: string, name: string) {
  const made = await make(source, join(folder, name))
  return { ...made, numbers: await readNumbers(made.at(made.ladder.renditions[0]?.playlist ?? '')) }
}

t.test('a 30 fps MP4 keeps each of its frames once, over all chunk edges', async (t) => {
  const source = await film(join(folder, 'cfr30.mp4'), long('30'))
  const { numbers, plan } = await shown(source, 'cfr30')
  t.ok((plan?.chunks.count ?? 0) > 1, 'there are edges')
  t.strictSame(numbers, upTo(540))
})

t.test('MPEG-TS, in which seeking is not exact, is exact through the mezzanine', async (t) => {
  const source = await film(join(folder, 'cast.ts'), long('15'))
  const { numbers, mezzanine } = await shown(source, 'cast')
  t.equal(mezzanine.probe.format, 'mp4')
  t.strictSame(numbers, upTo(270))
})

t.test('a clip trimmed by an edit list shows what players show', async (t) => {
  const whole = await film(join(folder, 'whole.mp4'), numbered('30', 10, small))
  const source = join(folder, 'trimmed.mp4')
  await ffmpeg('-ss', '1.5', '-i', whole, '-t', '5', '-c', 'copy', source)
  const { numbers, mezzanine } = await shown(source, 'trimmed')
  t.ok(mezzanine.timeline?.trimmed)
  t.strictSame(numbers, (await single(source, '30')).slice(0, numbers.length))
})
