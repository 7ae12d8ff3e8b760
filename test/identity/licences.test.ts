import t from 'tap'
import { compareWithLines } from '#tasks/identity/rules/aamva/compare.ts'
import { parseLicence } from '#tasks/identity/rules/aamva/parse.ts'
import { parseMrz } from '#tasks/identity/rules/mrz/parse.ts'
import { documentsStack } from '../support/documents-stack.ts'
import { backOf, californian, encode, ontarian, shotOf } from '../support/licences.ts'
import { anna, td1 } from '../support/specimen.ts'

t.setTimeout(240_000)

const ofOntario = encode(ontarian, { iin: '636012', version: '08' })

t.test('licences of the United States and Canada are read, each with its order of dates', async (t) => {
  t.match(parseLicence(encode(californian)), {
    facts: {
      format: 'AAMVA',
      kind: 'driving_licence',
      code: 'DL',
      issuing_state: 'USA',
      subdivision: 'US-CA',
      surname: 'ERIKSSON',
      given_names: 'ANNA MARIA',
      document_number: 'I1234568',
      birth_date: '1974-08-12',
      issue_date: '2022-04-15',
      expiry_date: '2040-04-15',
      sex: 'F',
      address: { street: '1 MAIN STREET', city: 'SACRAMENTO', subdivision: 'CA', postal_code: '95818' },
      barcode_version: 10,
    },
    checks: ['issuer', 'fields', 'dates'].map((check) => ({ check, passed: true })),
  })
  t.match(parseLicence(ofOntario)?.facts, {
    issuing_state: 'CAN',
    subdivision: 'CA-ON',
    birth_date: '1974-08-12',
    expiry_date: '2040-04-15',
    sex: 'M',
    address: { postal_code: 'M5H 1A1' },
  })
  const first = { DAA: 'SAMPLE,JOHN,PAUL', DAQ: '1', DBB: '19740812', DBA: '20400415' }
  t.match(parseLicence(encode(first, { version: '01' }))?.facts, {
    surname: 'SAMPLE',
    given_names: 'JOHN PAUL',
    birth_date: '1974-08-12',
  })
  t.match(parseLicence(encode(californian, { type: 'ID' }))?.facts, { kind: 'card', code: 'ID' })
})

t.test('data that is no licence is refused, and faults in fields are shown by the checks', async (t) => {
  const none = [
    '',
    '@',
    'https://example.com',
    '@\n\x1e\rANSI 63601',
    '@\n\x1e\rANSI 6360141000',
    'ANSI 636014100001DLDAQ1',
  ]
  for (const text of [...none, `@\n\x1e\rANSI 636014100001DLDAQ${'A'.repeat(100_000)}`])
    t.equal(parseLicence(text), null, text.slice(0, 30))
  const failed = (changes: object, options = {}) =>
    parseLicence(encode({ ...californian, ...changes }, options))?.checks.flatMap(({ check, passed }) =>
      passed ? [] : [check],
    )
  t.same(failed({}), [])
  t.same(failed({}, { iin: '999999' }), ['issuer'])
  t.same(failed({ DAQ: '' }), ['fields'])
  t.same(failed({ DCS: 'NONE' }), ['fields'])
  t.same(failed({ DBB: '99999999' }), ['dates'])
  t.same(failed({ DBB: '02302001' }), ['dates'])
  t.same(failed({ DBA: '01011960' }), ['dates'])
  const odd = parseLicence(encode({ ...californian, DAG: `a\u0000b\u001bc${'x'.repeat(900)}` }))
  t.ok((odd?.facts.address?.street.length ?? 999) <= 200)
  t.match(odd?.facts.address?.street, /^abcx+$/, 'without control characters')
  const cut = parseLicence(encode({ ...californian, DCS: `${'A'.repeat(199)}😀`, DAQ: `${'1'.repeat(39)}😀` }))?.facts
  t.ok(cut?.surname.isWellFormed() && cut.document_number.isWellFormed(), 'a long value is cut between characters')
})

t.test('the barcode is compared with the lines of the same card', async (t) => {
  const barcode = parseLicence(encode(californian))?.facts
  const lines = parseMrz(td1({ ...anna, number: 'D23145890', expiry: '400415' }))?.facts
  if (!barcode || !lines) throw new Error('both are read')
  t.same(compareWithLines(barcode, lines), { check: 'lines_match', passed: true })
  t.same(compareWithLines({ ...barcode, birth_date: '1980-01-01' }, lines).passed, false)
  t.same(compareWithLines({ ...barcode, surname: 'OTHER' }, lines).passed, false)
})

t.test('photos of licences are read on the page and by the API', async (t) => {
  const stack = await documentsStack(t)
  await stack.startReaders()
  const card = await backOf(encode(californian))
  const prompt = await stack.promptOf('cal')
  const told = await stack.tried(prompt, await shotOf(card, { degrees: 8, quality: 60 }))
  t.match(told.body, { outcome: 'read', code: null }, told.text)
  await stack.complete(prompt)
  const { body } = await stack.documentOf('cal')
  t.match(body, {
    status: 'read',
    sound: true,
    expired: false,
    facts: { document_number: 'I1234568', subdivision: 'US-CA' },
  })
  const other = await stack.promptOf('mal')
  const malformed = await stack.tried(other, await shotOf(await backOf('https://example.com/a-ticket-for-the-opera')))
  t.match(malformed.body, { outcome: 'try_again', code: 'barcode_malformed' }, malformed.text)
})
