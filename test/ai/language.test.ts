import t from 'tap'
import { detectLanguage, detectLanguages } from '#lib/language/detect.ts'
import { detectConfigurations } from '#sql/knowledge/languages.ts'
import { spoken } from './evaluation/blind.ts'
import { sentences } from './evaluation/sentences.ts'

t.setTimeout(120_000)

t.test('the language of at least 40 of 42 sentences is detected', async (t) => {
  const found = await detectLanguages(sentences.map(([, text]) => text))
  const right = sentences.filter(([language], i) => found[i] === language)
  t.equal(sentences.length, 42)
  t.ok(right.length >= 40, `${right.length} of 42`)
  const others = await detectLanguages(spoken.map(([, text]) => text))
  t.ok(spoken.filter(([language], i) => others[i] === language).length >= 19)
})

t.test('short questions have a language, and what is too short for one has none', async (t) => {
  t.same(
    await detectLanguages([
      ...['Wo ist mein Paket?', 'gdzie jest paczka', '注文はどこですか', 'где мой заказ', 'where is my order'],
      ...['', 'ok', 'menu', '12345', '\ud800', 'reset my password', '🚢'],
    ]),
    ['de', 'pl', 'ja', 'ru', 'en', null, null, null, null, null, null, null],
  )
})

t.test('the stemmer is that of the language, and plain words where Postgres has none', async (t) => {
  t.same(
    await detectConfigurations([
      ...['Leider wurde mir der Betrag zweimal abgebucht.', 'Kad tiks piegādāts mans pasūtījums uz Rīgu?'],
      ...['¿Cuándo llegará mi pedido a Valencia?', 'Мені надіслали не той розмір куртки.', 'Koszyk', 'the'],
    ]),
    ['german', 'simple', 'spanish', 'simple', 'simple', 'english'],
  )
})

t.test('a caller that goes away waits for nothing', async (t) => {
  const given = AbortSignal.abort(new Error('gone'))
  await t.rejects(detectLanguage('Where is my order?', given), { message: 'gone' })
})
