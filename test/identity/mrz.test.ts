import sharp from 'sharp'
import t from 'tap'
import { ageOn, birthDate, expiryDate, hasExpired } from '#tasks/identity/rules/mrz/dates.ts'
import { isSound, type Mrz, parseMrz } from '#tasks/identity/rules/mrz/parse.ts'
import { work as look } from '../../workers/identity/document/look-thread.ts'
import { createDocumentReader } from '../../workers/identity/document/reader.ts'
import { testScratch } from '../support/scratch.ts'
import { anna, pageOf, td1, td2, td3 } from '../support/specimen.ts'

const published = ['P<UTOERIKSSON<<ANNA<MARIA<<<<<<<<<<<<<<<<<<<', 'L898902C36UTO7408122F1204159ZE184226B<<<<<10']
const now = new Date('2026-06-01T00:00:00Z')
const failed = (mrz: Mrz | null) => mrz?.checks.filter(({ passed }) => !passed).map(({ check }) => check)

t.test('the published specimen is read, and its digits are those that are computed', async (t) => {
  t.same(td3(anna), published)
  const mrz = parseMrz(published, now)
  t.match(mrz, {
    facts: {
      format: 'TD3',
      kind: 'passport',
      code: 'P',
      issuing_state: 'UTO',
      nationality: 'UTO',
      surname: 'ERIKSSON',
      given_names: 'ANNA MARIA',
      document_number: 'L898902C3',
      birth_date: '1974-08-12',
      expiry_date: '2012-04-15',
      sex: 'F',
    },
  })
  t.ok(mrz && isSound(mrz))
  t.equal(mrz?.checks.length, 6)
})

t.test('cards are read, with numbers that go on in the optional data', async (t) => {
  const card = { ...anna, number: 'D23145890' }
  for (const lines of [td1(card), td2(card), td1({ ...card, number: 'D23145890734' })]) {
    const mrz = parseMrz(lines, now)
    t.ok(mrz && isSound(mrz), lines.join(' '))
    t.match(mrz?.facts, { kind: 'card', surname: 'ERIKSSON', birth_date: '1974-08-12' })
  }
  t.match(parseMrz(td1({ ...card, number: 'D23145890734' }), now)?.facts, { document_number: 'D23145890734' })
})

t.test('what recognition confuses is put right where the field demands it, and nowhere else', async (t) => {
  const [first = '', second = ''] = published
  const read = (line: string) => parseMrz([first, line], now)
  t.same(
    failed(read(second.replace('UTO7408122', 'UT07A08I22'.replace('A', '4')))),
    [],
    'letters in a state, digits in days',
  )
  t.same(failed(parseMrz(['P<UT0ER1KSS0N<<ANNA<MARIA', second], now)), [], 'names, and fillers that are lost')
  t.match(parseMrz(['P<UT0ER1KSS0N<<ANNA<MARIA', second], now)?.facts, { surname: 'ERIKSSON' })
  t.same(failed(read(second.replace('L8989O2C3', 'L898902C3'))), [])
  t.same(
    failed(read(second.replace('L898902', 'L8989O2'))),
    ['document_number', 'composite'],
    'a number may hold either',
  )
  t.same(failed(read(second.replace('<<<<<10', '<<<<10'))), [], 'one filler of a run is lost')
})

t.test('a changed character fails the checks that cover it', async (t) => {
  const [first = '', second = ''] = published
  const changes: [number, string[]][] = [
    [0, ['document_number', 'composite']],
    [8, ['document_number', 'composite']],
    [14, ['birth_date', 'composite']],
    [18, ['birth_date', 'composite']],
    [22, ['expiry_date', 'composite']],
    [30, ['optional_data', 'composite']],
    [43, ['composite']],
  ]
  for (const [at, checks] of changes) {
    const other = second[at] === '5' ? '6' : '5'
    const line = second.slice(0, at) + other + second.slice(at + 1)
    const found = failed(parseMrz([first, line], now))?.filter((check) => check !== 'dates')
    t.same(found, checks, `character ${at}`)
  }
  for (const lines of [
    [],
    [first],
    [second, first],
    ['', ''],
    ['<'.repeat(44), '<'.repeat(44)],
    [first, 'x'.repeat(4_000)],
  ])
    t.equal(parseMrz(lines, now), null)
  t.equal(parseMrz([`V${first.slice(1)}`, second], now), null, 'a visa is no document of identity')
  t.match(parseMrz(td3({ ...anna, birth: '740230' }), now), { facts: { birth_date: null } })
  t.same(failed(parseMrz(td3({ ...anna, birth: '740230' }), now)), ['dates'])
})

t.test('years are those that may be, and ages whole years', async (t) => {
  t.equal(birthDate('260601', now), '2026-06-01')
  t.equal(birthDate('260602', now), '1926-06-02', 'nobody is born tomorrow')
  t.equal(birthDate('7408<<', now), null)
  t.equal(birthDate('000229', now), '2000-02-29')
  t.equal(birthDate('010229', now), null)
  t.equal(expiryDate('351231', now), '2035-12-31')
  t.equal(expiryDate('991231', now), '1999-12-31')
  t.equal(ageOn('2008-06-01', now), 18)
  t.equal(ageOn('2008-06-02', now), 17)
  t.equal(hasExpired('2026-06-01', now), false, 'it holds on its last day')
  t.equal(hasExpired('2026-05-31', now), true)
})

t.test('a picture is looked at without that the event loop stands still', async (t) => {
  const side = 2_400
  const grey = new Uint8Array(side * side).fill(150)
  const bytes = await sharp(grey, { raw: { width: side, height: side, channels: 1 } })
    .png()
    .toBuffer()
  const used = () => process.threadCpuUsage().user / 1000
  const begun = used()
  look({ data: grey, width: side, height: side })
  const looking = used() - begun
  const reader = createDocumentReader(testScratch)
  t.teardown(() => reader.close())
  let [last, longest, isReading] = [used(), 0, true]
  const watch = () => {
    longest = Math.max(longest, used() - last)
    last = used()
    if (isReading) setImmediate(watch)
  }
  watch()
  t.same(await reader.read({ bytes, type: 'image/png' }, new AbortController().signal), { reason: 'no_lines' })
  isReading = false
  t.ok(longest < looking / 3, `${longest} ms of CPU in one turn, of ${looking} ms`)
})

t.test('a picture has a time as a whole, whatever stands on it', async (t) => {
  const bytes = await pageOf(td3({ ...anna, expiry: '400415' }))
  const hasty = createDocumentReader(testScratch, { allMs: 1, eachMs: 1_000 })
  const patient = createDocumentReader(testScratch)
  t.teardown(() => Promise.all([hasty.close(), patient.close()]))
  const { signal } = new AbortController()
  t.same(await hasty.read({ bytes, type: 'image/png' }, signal), { reason: 'unclear' })
  t.match(await patient.read({ bytes, type: 'image/png' }, signal), { facts: { format: 'TD3' } })
})
