import t from 'tap'
import { provide } from '../../ingress/http/container.ts'
import { signingSecret } from '../../ingress/http/services.ts'
import { testDatabase } from '../support/database.ts'
import { readGuide } from '../support/guide.ts'
import { testIngress, testOrg } from '../support/ingress.ts'
import { runGuide } from '../support/run-guide.ts'

t.test('the examples of the guide read the readiness of a person, and record a check', async (t) => {
  const { db } = await testDatabase(t)
  const ingress = await testIngress(t, db, [], {
    only: ['identity'],
    services: [provide(signingSecret, 's'.repeat(32))],
  })
  const { keys } = await testOrg(db, ['identity:verify'])
  const guide = await readGuide('ingress/identity/README.md')
  const steps = await runGuide(guide, {
    folder: t.testdir(),
    baseUrl: ingress.url,
    apiKey: keys.main,
    sections: ['Quickstart', 'List the requirements', 'Read the state of a subject', 'Read the data of a document'],
    languages: ['sh', 'js', 'python'],
  })
  const [readiness, inNode, inPython, check] = steps
  t.match(readiness?.json, { ready: false, next_step: { action: 'give_consent' } })
  t.match([inNode?.out, inPython?.out], [/false http/, /False/])
  t.match(check?.json, { status: 'verified', method: 'api' })
  t.match(steps.find(({ heading }) => heading === 'Read the state of a subject')?.json, { status: 'requires_input' })
})
