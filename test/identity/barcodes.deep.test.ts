import sharp from 'sharp'
import t from 'tap'
import { work } from '../../workers/identity/document/barcode-thread.ts'
import { backOf, californian, encode, ontarian, shotOf, shots } from '../support/licences.ts'

t.setTimeout(10 * 60_000)

async function greyOf(photo: Buffer) {
  const { data, info } = await sharp(photo).grayscale().toColourspace('b-w').raw().toBuffer({ resolveWithObject: true })
  return { data: new Uint8Array(data), width: info.width, height: info.height }
}

t.test('photos of licences are read: rotated, blurred, compressed, small, dark and leaning', async (t) => {
  const texts = [encode(californian), encode(ontarian, { iin: '636012', version: '08' })]
  let read = 0
  for (const text of texts) {
    const card = await backOf(text)
    for (const shot of shots) {
      const found = await work({ picture: await greyOf(await shotOf(card, shot)), effort: 'fast', mostMs: 30_000 })
      if (found === text) read++
      else t.comment(`not read: ${JSON.stringify(shot)}`)
    }
  }
  t.comment(`${read} of ${texts.length * shots.length} were read`)
  t.ok(read >= 38)
})
