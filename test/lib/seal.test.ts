import t from 'tap'
import { createSeal } from '#lib/seal.ts'

const seal = createSeal('a secret of more than thirty-two characters', 'one purpose')
const text = '-----BEGIN PRIVATE KEY-----\nünïcode\n-----END PRIVATE KEY-----\n'

t.test('what was sealed opens with the same secret, for the same purpose, about the same thing only', async (t) => {
  const sealed = seal.close(text, 'domain 1')
  t.equal(seal.open(sealed, 'domain 1'), text)
  t.ok(sealed.startsWith(seal.mark))
  t.not(sealed, seal.close(text, 'domain 1'), 'twice the same looks different')
  t.equal(seal.open(sealed, 'domain 2'), null)
  t.equal(createSeal('a secret of more than thirty-two characters', 'another').open(sealed, 'domain 1'), null)
  const other = createSeal('another secret of more than 32 characters', 'one purpose')
  t.not(other.mark, seal.mark)
  t.equal(other.open(other.mark + sealed.slice(seal.mark.length), 'domain 1'), null)
})

t.test('no changed or cut text opens', async (t) => {
  const sealed = seal.close(text, 'x')
  const bytes = Buffer.from(sealed.slice(seal.mark.length), 'base64url')
  for (const at of [0, 12, 28, bytes.length - 1]) {
    const changed = Buffer.from(bytes)
    changed[at] = (changed[at] as number) ^ 1
    t.equal(seal.open(seal.mark + changed.toString('base64url'), 'x'), null, `byte ${at}`)
  }
  for (const length of [0, 11, 27, bytes.length - 1])
    t.equal(seal.open(seal.mark + bytes.subarray(0, length).toString('base64url'), 'x'), null, `${length} bytes`)
})
