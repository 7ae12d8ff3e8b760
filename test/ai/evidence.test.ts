import t from 'tap'
import { readConfig } from '#lib/config.ts'
import { createEmbeddedEngine } from '../../workers/llm/embedded/engine.ts'
import { createLanguageEngine } from '../../workers/llm/engine.ts'
import { modelServer, says } from '../support/model-server.ts'
import { aiStack } from './stack.ts'

t.setTimeout(240_000)

/** A question, the model's answer, and the quoted passage, which is the whole document. */
type Pair = readonly [question: string, answer: string, quote: string]

const borneOut: readonly Pair[] = [
  ['What is the capital of France?', 'The capital of France is Paris.', 'Paris is the capital of France.'],
  ['When do refunds arrive?', 'Refunds arrive within 14 days.', 'Refunds arrive within 14 days of the return.'],
  ['Is delivery free?', 'Yes, delivery is free.', 'Delivery is free for members.'],
  ['Is delivery free?', 'Yes.', 'Delivery is free for members.'],
  ['Do you ship on Sundays?', 'No, we never ship on Sundays.', 'We never ship on Sundays.'],
  ['Do you ship on Sundays?', 'No.', 'We do not ship on Sundays.'],
  ['What does the Pro plan cost?', 'The Pro plan costs $500 a month.', 'The Pro plan is $500 a month.'],
  ['How many people live in Tartu?', 'Tartu has 97 435 people.', 'Tartu has 97,435 people.'],
  ['How high is the tower?', 'The tower is 324 metres high.', 'With its antennas the tower is 324 metres high.'],
  ['Who founded Acme in 1999?', 'Jane Roe founded Acme.', 'Acme was founded by Jane Roe in 1999.'],
  ['Are gifts refunded?', 'Gifts are not refunded.', 'Gifts are not refunded.'],
  ['Can I bring a dog?', 'Dogs are allowed in the garden.', 'Dogs are allowed in the garden only.'],
  ['How do I reset the password?', 'Open Settings and choose Reset.', 'To reset it, open Settings and choose Reset.'],
  ['What is the discount?', 'The discount is 15 percent.', 'Students get a discount of 15 %.'],
  ['When was the bridge opened?', 'It was opened in 1894.', 'The bridge was opened in 1894 by the queen.'],
  ['How long is the warranty?', 'The warranty is two years.', 'All bikes have a warranty of two years.'],
  ['Which ports are used?', 'Ports 1936 and 8080.', 'It listens on the ports 8080 and 1936.'],
  ['What is the fee?', 'The fee is 4.50 €.', 'The fee is 4,5 EUR.'],
  ['When are you open?', 'We are open from 9 to 17.', 'The shop is open from 9 to 17 on weekdays.'],
  ['Wie lange dauert der Versand?', 'Der Versand dauert 3 Tage.', 'Der Versand nach Estland dauert 3 Tage.'],
  ['Was kostet die Lieferung nach Riga?', 'Sie kostet 7 €.', 'Die Lieferung nach Riga kostet 7 €.'],
  ['Ist das Museum am Montag offen?', 'Nein.', 'Das Museum ist am Montag nicht offen.'],
  [
    'Quelle est la capitale de la France ?',
    'La capitale de la France est Paris.',
    'Paris est la capitale de la France.',
  ],
  ['Combien coûte le billet ?', 'Le billet coûte 12 €.', 'Le billet coûte 12 € pour les adultes.'],
  ['¿Cuándo abre la tienda?', 'La tienda abre a las 9.', 'La tienda abre a las 9 de lunes a viernes.'],
  ['Сколько стоит доставка в Эстонию?', 'Доставка стоит 4 €.', 'Доставка в Эстонию стоит 4 €.'],
  ['Kui kaua kestab saatmine?', 'Saatmine kestab 3 päeva.', 'Saatmine kestab Eestis 3 päeva.'],
  ['Wann kommt das Geld?', 'Das Geld kommt nach 14 Tagen.', 'The money is paid back to you within 14 days.'],
  ['How many pages has the file?', 'The file has 12 pages.', '1. The file has 12 pages.\n2. It is blue.'],
  ['What runs the model XR-7?', 'The XR-7 runs on diesel.', 'The XR-7 runs on diesel.'],
]

const traps: readonly Pair[] = [
  ['What is the capital of France?', 'The capital of France is Madrid.', 'Madrid is the capital of Spain.'],
  ['What is the capital of France?', 'Madrid.', 'Madrid is the capital of Spain.'],
  ['What does the plan cost?', 'The plan costs $500.', 'The plan is free.'],
  ['What does the plan cost?', '$500', 'The plan is free.'],
  ['When do refunds arrive?', 'Refunds arrive within 30 days.', 'Refunds arrive within 14 days of the return.'],
  ['Are gifts refunded?', 'Gifts are refunded.', 'Gifts are not refunded.'],
  ['Are gifts refunded?', 'Yes.', 'Gifts are not refunded.'],
  ['Is delivery free?', 'No.', 'Delivery is free for members.'],
  ['Is delivery free?', 'Delivery is not free.', 'Delivery is free for members.'],
  ['Is the shop open on Sunday?', 'The shop is closed on Sunday.', 'The shop is open on Sunday.'],
  ['Are dogs allowed?', 'Dogs are forbidden in the garden and house.', 'Dogs are allowed in the garden and house.'],
  ['Who founded Acme?', 'John Doe founded Acme.', 'Acme was founded by Jane Roe in 1999.'],
  ['Who founded Acme in 2001?', 'Jane Roe founded Acme.', 'Acme was founded by Jane Roe in 1999.'],
  ['How many people live in Tartu?', 'Tartu has 974 people.', 'Tartu has 97,435 people.'],
  ['What is the discount?', 'The discount is 15 €.', 'Students get a discount of 15 %.'],
  ['What does it cost?', 'It costs 20 dollars.', 'It costs 20 €.'],
  ['What is the fee?', 'The fee is 450 €.', 'The fee is 4,50 €.'],
  ['What does the Pro plan include?', 'The Pro plan includes support.', 'The Basic plan includes support.'],
  ['How fast is model XR-9?', 'It does 90 km/h.', 'The model XR-7 does 90 km/h.'],
  ['When was the bridge opened?', 'The bridge was opened by Napoleon.', 'The bridge was opened in 1894 by the queen.'],
  ['How tall is the tower?', 'The tower was built of wood by monks.', 'The tower is 324 metres high.'],
  ['Does Anna work in Berlin?', 'Anna works in Berlin.', 'Anna works in Hamburg.'],
  ['Was ist die Hauptstadt von Frankreich?', 'Madrid ist die Hauptstadt.', 'Madrid ist die Hauptstadt von Spanien.'],
  ['Ist das Museum am Montag offen?', 'Ja.', 'Das Museum ist am Montag nicht offen.'],
  ['Quelle est la capitale de la France ?', 'C’est Madrid.', 'Madrid est la capitale de l’Espagne.'],
  ['¿Cuál es la capital de Francia?', 'La capital de Francia es Madrid.', 'Madrid es la capital de España.'],
  ['Какой город столица Франции?', 'Столица Франции — Мадрид.', 'Мадрид — столица Испании.'],
  ['Сколько стоит доставка?', 'Доставка стоит 500 рублей.', 'Доставка бесплатна.'],
  ['Mis on Prantsusmaa pealinn?', 'Prantsusmaa pealinn on Madrid.', 'Madrid on Hispaania pealinn.'],
  ['Wann kommt das Geld?', 'Das Geld kommt nach 30 Tagen.', 'The money is paid back to you within 14 days.'],
]

t.test('a model’s answer counts when its words and numbers stand in its quotes', async (t) => {
  const fake = await modelServer(t)
  const settings = { AI_ENGINE: 'upstream', AI_BASE_URL: fake.url, AI_MODEL: 'the-model' }
  const { ask } = await aiStack(t, createLanguageEngine(readConfig(settings)))
  for (const [pairs, expected] of [
    [borneOut, true],
    [traps, false],
  ] as const) {
    for (const [question, answer, quote] of pairs) {
      fake.answer = (res) => says(res, { answered: true, answer, quotes: [{ document_id: 'context', quote }] })
      const { body } = await ask('POST /v1/ai/answer', { body: { question, context: quote } })
      t.match(body, { answered: expected, answer: expected ? answer : '' }, `${question} – ${answer} – ${quote}`)
      t.equal(body.citations?.length, expected ? 1 : 0)
    }
  }
})

t.test('the embedded engine quotes no sentence for a name or a number that it lacks', async (t) => {
  const { ask } = await aiStack(t, createEmbeddedEngine())
  for (const [question, text, expected] of [
    ['What is the capital of France?', 'Madrid is the capital of Spain.', false],
    ['what is the capital of france', 'Madrid is the capital of Spain.', false],
    ['What does the $500 plan include?', 'The free plan includes mail.', false],
    ['Who won the cup in 2014?', 'Riga won the cup in 2010.', false],
    ['Does the XR-9 have brakes?', 'The XR-7 has good brakes.', false],
    ['What is the capital of France?', 'Madrid is the capital of Spain. Paris is the capital of France.', true],
    ['What does the $500 plan include?', 'The $500 plan includes mail.', true],
    ['Who won the cup in 2014?', 'Riga won the cup in 2014.', true],
  ] as const) {
    const { body } = await ask('POST /v1/ai/answer', { body: { question, context: text } })
    t.equal(body.answered, expected, `${question} – ${text}`)
  }
  const documents = [{ id: 'fr', title: 'France', text: 'The capital is Paris.' }]
  const titled = await ask('POST /v1/ai/answer', { body: { question: 'What is the capital of France?', documents } })
  t.match(titled.body, { answered: true, answer: 'The capital is Paris.' }, 'a title speaks for its document')
})
