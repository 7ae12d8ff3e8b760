import t from 'tap'
import { provide } from '../../ingress/http/container.ts'
import { signingSecret } from '../../ingress/http/services.ts'
import { testDatabase } from '../support/database.ts'
import { readGuide } from '../support/guide.ts'
import { testIngress, testOrg } from '../support/ingress.ts'
import { runGuide } from '../support/run-guide.ts'

const scopes = ['keys', 'read', 'write', 'webhooks', 'logs', 'audit'].map((name) => `account:${name}`)

t.test('the examples of the guide create a key, a webhook and a budget, and read the logs', async (t) => {
  const { db } = await testDatabase(t)
  const ingress = await testIngress(t, db, [], { services: [provide(signingSecret, 's'.repeat(32))] })
  const { keys } = await testOrg(db, [...scopes, 'email:send'])
  const guide = await readGuide('ingress/account/README.md')
  const sections = [
    'Quickstart',
    'Rotate a secret',
    'Receive events of all areas',
    'Follow events without a webhook',
    'Log in from a program',
    'Find a request in the request log',
    'Set a budget',
    'Read the audit log',
  ]
  const steps = await runGuide(guide, {
    folder: t.testdir(),
    baseUrl: ingress.url,
    apiKey: keys.main,
    sections,
    languages: ['sh', 'js', 'python'],
    // A second key with the same name within a minute is a conflict.
    only: ({ language, code }) => language === 'sh' || /key_?checks/i.test(code),
  })
  const said = (part: string) => steps.filter(({ code }) => code.includes(part))
  t.match(
    said('email.messages.create').map(({ json, out }) => json?.allowed ?? out.trim().toLowerCase()),
    [true, 'true', 'true'],
  )
  t.match(said('/rotate')[0]?.json.secrets, [{ expires_at: null }, { expires_at: String }])
  t.match(said('/budgets/')[0]?.json, { soft: 80_000, hard: 100_000, alert_at: [80, 100] })
  t.match(said('/audit')[0]?.json.data, [{ action: 'key.created', actor: { kind: 'key' } }])
})
