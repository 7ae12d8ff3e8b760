import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import type { Test } from 'tap'
import { engine } from '../pipeline.ts'
import { tryFile } from '../trial.ts'
import { damaged } from './damaged.ts'
import { disguised } from './disguised.ts'
import { fuzz, lures, trap } from './fuzz.ts'
import { oddities } from './odd.ts'
import { makeSeeds } from './seeds.ts'

/** That these files of the corpus end as they should, in little memory. */
export async function endAsTheyShould(t: Test, folder: string, names: readonly string[]): Promise<void> {
  const cases = [...disguised, ...damaged, ...oddities].filter(({ name }) => names.includes(name))
  t.equal(cases.length, names.length)
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
}

/** That no mutated file hangs a tool, ends without a word for its owner, or has another file read. */
export async function surviveMutation(t: Test, folder: string, count: number): Promise<void> {
  const own = join(folder, 'fuzz')
  const seeds = await makeSeeds(join(own, 'seeds'), ['front.mp4', 'film.mkv', 'film.ts', 'film.avi', 'sound.mp3'])
  const secret = join(own, 'secret')
  const snare = await trap(secret)
  const all = new Map([...seeds, ...lures(secret)])
  const found = await fuzz({
    engine,
    folder: own,
    seeds: all,
    first: 1,
    count,
    seconds: 120,
    each: 60,
    atOnce: 2,
    tell: () => t.notOk(snare.sprung()),
  })
  t.equal(found.length, count)
  for (const { seed, of, end, sentence, strayed } of found) {
    t.notMatch(end, /timeout|broken/, `${seed} of ${of}: ${sentence}`)
    t.strictSame(strayed, [])
  }
  t.ok(
    found.some(({ end }) => end === 'ready'),
    'some are still films',
  )
}
