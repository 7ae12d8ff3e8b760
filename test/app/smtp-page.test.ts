import '../support/submission-environment.ts'
import t from 'tap'
import { provide } from '../../ingress/http/container.ts'
import { signingSecret } from '../../ingress/http/services.ts'
import { testDatabase } from '../support/database.ts'
import { testIngress, testOrg } from '../support/ingress.ts'
import { until } from '../support/until.ts'
import { get, signedIn } from './fixture.ts'

const { db } = await testDatabase(t)
const services = [provide(signingSecret, 'a secret of this test, long enough to sign')]
const requestLog = { everyMs: 20, perSecond: 1_000 }
const { url } = await testIngress(t, db, [], { only: ['app', 'account', 'email'], services, requestLog })

t.test('the page shows why messages were rejected', async (t) => {
  const { org, keys } = await testOrg(db, ['email:send'])
  const member = await signedIn(db, url, org.id, 'developer')
  t.match((await get(url, '/app/smtp', member)).text, 'No sign-ins by SMTP yet.')
  const message = { stream: 'transactional', from: { email: 'a@other.example' }, to: 'ann@rcpt.example', text: 'x' }
  const headers = {
    authorization: `Bearer ${keys.main}`,
    'content-type': 'application/json',
    'user-agent': 'millrace-smtp/1',
  }
  for (const body of [
    { ...message, subject: 'x', send_at: 'tomorrow' },
    { ...message, subject: 'x' },
  ]) {
    const reply = await fetch(`${url}/send/v1/messages`, { method: 'POST', headers, body: JSON.stringify(body) })
    t.equal(reply.ok, false)
  }
  const shown = () => get(url, '/app/smtp', member)
  await until(async () => (await shown()).text.match(/Message rejected/g)?.length === 2)
  const { text } = await shown()
  t.match(text, 'body.send_at: must be a date and time in ISO 8601')
  t.match(text, 'is not one of your domains')
})
