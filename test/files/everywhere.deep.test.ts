import { test } from 'tap'
import { extractorsOfEicar } from './extractors.ts'
import { archivesWithEicar, fuzzArchives } from './fuzz.ts'
import { examineBytes } from './stand-in.ts'
import { strict } from './strict.ts'
import { missingTools } from './tools.ts'

const missing = await missingTools('arj', 'compress', 'mksquashfs', 'mke2fs', 'mcopy')
const skip = missing.length > 0 ? `no ${missing.join(', ')} here` : false

test('no archive that was changed at random is clean where a program takes EICAR out of it', { skip }, async (t) => {
  const ends = new Set<string>()
  for await (const { seed, of, status, extractors } of fuzzArchives(t.testdir(), 1, 120)) {
    ends.add(status)
    t.same(extractors, [], `${seed}, of ${of}`)
  }
  t.same([...ends].sort(), ['clean', 'infected', 'suspicious', 'unscannable'])
})

test('no archive that begins within something else is clean where a program finds it there', { skip }, async (t) => {
  const folder = t.testdir()
  for (const [name, archive] of await archivesWithEicar()) {
    for (const before of [777, 1024]) {
      const bytes = Buffer.concat([Buffer.alloc(before, '\x01\xfe\x02'), archive])
      const { status } = await examineBytes(folder, { bytes }, strict)
      t.same(status === 'clean' ? await extractorsOfEicar(bytes, folder) : [], [], `${name} behind ${before} bytes`)
    }
  }
})
