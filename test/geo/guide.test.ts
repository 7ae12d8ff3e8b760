import t from 'tap'
import { testDatabase } from '../support/database.ts'
import { readGuide } from '../support/guide.ts'
import { testIngress, testOrg } from '../support/ingress.ts'
import { runGuide } from '../support/run-guide.ts'

t.setTimeout(240_000)

t.test('every call of the guide works as shown', async (t) => {
  const { db } = await testDatabase(t)
  const { keys } = await testOrg(db, ['geo:read'])
  const ingress = await testIngress(t, db, [], { only: ['geo'] })
  const guide = await readGuide('ingress/geo/README.md')
  const run = { folder: t.testdir(), baseUrl: ingress.url, apiKey: keys.main }
  const steps = await runGuide(guide, { ...run, languages: ['sh', 'js', 'python'] })
  t.match(
    steps.flatMap(({ language, json }) => (language === 'sh' && json ? [json] : [])),
    [
      { ip: '1.1.1.1', bogon: false },
      { ip: '2606:4700:4700::1111', bogon: false },
      { bogon: true, bogon_type: 'loopback' },
      { results: [{ status: 'ok' }, { status: 'bogon' }, { status: 'invalid' }], count: 3 },
    ],
  )
})
