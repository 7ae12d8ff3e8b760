import t from 'tap'
import { valueFinder } from '#tasks/wiki/rules/names-value.ts'
import { authoring } from './authors.ts'

const { write } = await authoring(t)
const languages = Array.from({ length: 100 }, (_, i) => `q${String.fromCharCode(97 + i / 26, 97 + (i % 26))}`)
/** Returns aliases: this many in each of this many languages. */
const aliases = (count: number, each: number) =>
  Object.fromEntries(languages.slice(0, count).map((one) => [one, Array.from({ length: each }, (_, i) => `x${i}`)]))

t.test('an entity has 500 names at most, labels and aliases together', async (t) => {
  const create = (given: object) => write('POST /entities', { type: 'city', labels: { en: 'Nowhere' }, ...given })
  t.match(await create({ aliases: aliases(5, 100) }), {
    status: 400,
    body: { error: { details: [{ field: 'body.aliases' }] } },
  })
  const made = await create({ aliases: { ...aliases(4, 100), zz: aliases(1, 99).qaa } })
  t.equal(made.status, 200)
  const change = (body: object) => write(`PATCH /entities/${made.body.id}`, body)
  t.match(await change({ labels: { en: 'Here', de: 'Hier' } }), {
    status: 400,
    body: { error: { details: [{ field: 'body.labels' }] } },
  })
  t.match(await change({ aliases: aliases(100, 100) }), { status: 400 })
  t.equal((await change({ labels: { de: 'Hier' } })).status, 200)
})

t.test('a quote is taken apart once, however many names it is looked through for', async (t) => {
  const quote = 'It lies in Tallinn, the capital of Estonia'
  const normalize = String.prototype.normalize
  let times = 0
  t.teardown(() => {
    String.prototype.normalize = normalize
  })
  String.prototype.normalize = function (this: string, ...form) {
    if (String(this).startsWith('It lies')) times++
    return normalize.apply(this, form)
  }
  const has = valueFinder({ type: 'entity', names: Array.from({ length: 500 }, (_, i) => `Nowhere ${i}`) })
  t.equal(has(quote), false)
  t.ok(times < 5, `${times} times`)
})

t.test(
  'names are found as whole words in their order, whatever their case and accents; signs as they are',
  async (t) => {
    const has = valueFinder({
      type: 'entity',
      names: ['Tallinn', 'Tallinn city hall', 'Reval old town', '1 000', '***'],
    })
    for (const quote of ['the Tállinn city', 'the tallinn', 'Reval old Reval old town', 'of 1,000 men', 'it is ***'])
      t.ok(has(quote), quote)
    for (const quote of ['Tallinns', 'Reval town', 'old town', 'town old Reval', 'of 1,000,000 men', '* * *'])
      t.notOk(has(quote), quote)
  },
)
