import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import t from 'tap'
import { damaged } from '../../media/corpus/damaged.ts'
import { disguised } from '../../media/corpus/disguised.ts'
import { fuzz, lures, trap } from '../../media/corpus/fuzz.ts'
import { oddities } from '../../media/corpus/odd.ts'
import { makeSeeds } from '../../media/corpus/seeds.ts'
import { engine, scratch } from '../../media/pipeline.ts'
import { tryFile } from '../../media/trial.ts'

const folder = await scratch(t)

// The cheap ones that no other test has; `npm run corpus` takes all.
const chosen = new Set([
  ...['metadata of ffmpeg', 'a session description', 'a playlist named as one', 'a mebibyte of zeroes'],
  ...['16384x16384 PNG in MOV', '16383x16383 VP8 in WebM', 'no rate', 'times that wrap', 'named "a\\nb|c;d.mp4"'],
])

t.test('odd and hostile files end as they should, in little memory', async (t) => {
  const cases = [...disguised, ...damaged, ...oddities].filter(({ name }) => chosen.has(name))
  t.equal(cases.length, chosen.size)
  for (const [i, one] of cases.entries()) {
    const own = join(folder, `case-${i}`)
    await mkdir(own)
    const source = join(own, one.file)
    await one.make(source, own)
    const { end, sentence, memory, strayed } = await tryFile(engine, { source, folder: own, seconds: 60 })
    t.ok(one.ends.includes(end), `${one.name}: ${end} ${sentence}`)
    t.ok(memory <= one.memory, `${one.name}: ${memory} MiB`)
    t.strictSame(strayed, [], one.name)
  }
})

t.test('no mutated file hangs a tool, ends without a word for its owner, or has another file read', async (t) => {
  const own = join(folder, 'fuzz')
  const seeds = await makeSeeds(join(own, 'seeds'), ['front.mp4', 'film.mkv', 'film.ts', 'film.avi', 'sound.mp3'])
  const secret = join(own, 'secret')
  const snare = await trap(secret)
  const all = new Map([...seeds, ...lures(secret)])
  const found = await fuzz({
    ...{ engine, folder: own, seeds: all, first: 1, count: 24, seconds: 120, each: 60, atOnce: 2 },
    tell: () => t.notOk(snare.sprung()),
  })
  t.equal(found.length, 24)
  for (const { seed, of, end, sentence, strayed } of found) {
    t.notMatch(end, /timeout|broken/, `${seed} of ${of}: ${sentence}`)
    t.strictSame(strayed, [])
  }
  t.ok(
    found.some(({ end }) => end === 'ready'),
    'some are still films',
  )
})
