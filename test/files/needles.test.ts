import { randomInt } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import t from 'tap'
import wabt from 'wabt'
import { Needles } from '../../workers/scan/kinds/needles.ts'

const folder = new URL('../../workers/scan/kinds/', import.meta.url)

t.test('the program is what its text says', async (t) => {
  const text = await readFile(new URL('needles.wat', folder), 'utf8')
  const { buffer } = (await wabt()).parseWat('needles.wat', text, { simd: true }).toBinary({})
  t.ok(Buffer.from(buffer).equals(await readFile(new URL('needles.wasm', folder))))
})

const needles = ['PK\x03\x04', 'Rar!', '\x71\xc7', '\xc7\x71', '\x1f\x8b\x08', '\nbegin', '\0\0\x01', '\xff\xff'].map(
  (text) => Buffer.from(text, 'latin1'),
)
const finder = new Needles(needles)

/** Where needles begin, as the finder tells, what it tells beside them aside. */
function found(bytes: Buffer, from = 0, to = bytes.length): number[] {
  const places: number[] = []
  finder.each(bytes, from, to, (at) => places.push(at))
  t.same(
    places,
    [...new Set(places)].sort((a, b) => a - b),
    'in order, each once',
  )
  return places.filter((at) => needles.some((needle) => bytes.subarray(at, at + needle.length).equals(needle)))
}

/** The same by a search for each. */
function expected(bytes: Buffer, from = 0, to = bytes.length): number[] {
  const places = needles.flatMap((needle) => {
    const starts: number[] = []
    for (let at = bytes.indexOf(needle, from); at !== -1 && at < to; at = bytes.indexOf(needle, at + 1)) starts.push(at)
    return starts
  })
  return places.sort((a, b) => a - b)
}

t.test('needles are found wherever they stand', async (t) => {
  for (const size of [2, 3, 15, 16, 17, 18, 31, 33, 65_535, 65_536, 65_537, 65_552, 131_072, 200_001]) {
    const bytes = Buffer.alloc(size, 'P')
    for (const needle of needles) {
      for (const at of [0, 1, 14, 15, 16, 65_530, 65_533, 65_534, 65_535, 65_536, size - needle.length])
        if (at >= 0 && at + needle.length <= size) needle.copy(bytes, at)
      t.same(found(bytes), expected(bytes), `${needle.toString('hex')} in ${size}`)
    }
  }
})

t.test('in bytes of little else they are found in any range', async (t) => {
  const parts = [...needles, ...needles.map((needle) => needle.subarray(0, -1)), Buffer.from('x')]
  const pick = () => parts[randomInt(parts.length)] ?? Buffer.alloc(0)
  const bytes = Buffer.concat(Array.from({ length: 60_000 }, pick))
  t.ok(bytes.length > 131_072)
  t.same(found(bytes), expected(bytes))
  for (let round = 0; round < 20; round++) {
    const from = randomInt(bytes.length)
    const to = from + randomInt(bytes.length - from + 1)
    t.same(found(bytes, from, to), expected(bytes, from, to), `${from} to ${to}`)
  }
})
