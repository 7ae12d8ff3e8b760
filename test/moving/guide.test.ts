import '../support/moving-environment.ts'
import t from 'tap'
import { provide } from '../../ingress/http/container.ts'
import { signingSecret } from '../../ingress/http/services.ts'
import { testDatabase } from '../support/database.ts'
import { readGuide } from '../support/guide.ts'
import { testIngress, testOrg } from '../support/ingress.ts'
import { runGuide } from '../support/run-guide.ts'

const scopes = ['account:read', 'email:manage', 'push:manage', 'stream:write', 'guard:manage', 'guard:verify']

t.test('the examples of the guides run as written', async (t) => {
  const { db } = await testDatabase(t)
  const services = [provide(signingSecret, 'a signing secret of the tests alone')]
  const only = ['moving', 'email', 'push', 'video', 'guard']
  const ingress = await testIngress(t, db, [], { only, services })
  for (const name of [
    'RESEND',
    'POSTMARK',
    'SENDGRID',
    'ONESIGNAL',
    'MUX',
    'RECAPTCHA',
    'TURNSTILE',
    'OUT',
    'README',
  ]) {
    const { keys } = await testOrg(db, scopes)
    const guide = await readGuide(`ingress/moving/${name}.md`)
    const steps = await runGuide(guide, { folder: t.testdir(), baseUrl: ingress.url, apiKey: keys.main })
    t.ok(steps.length > 0, name)
  }
})
