import t from 'tap'
import { provide } from '../../ingress/http/container.ts'
import { signingSecret } from '../../ingress/http/services.ts'
import { testDatabase } from '../support/database.ts'
import { testIngress, testOrg } from '../support/ingress.ts'
import { get, signedIn, submit, toldOf } from './fixture.ts'

const { db } = await testDatabase(t)
const secret = provide(signingSecret, 'a secret of this test, long enough to sign')
const { url } = await testIngress(t, db, [], { only: ['app', 'account', 'email'], services: [secret] })

async function scene() {
  const { org } = await testOrg(db, [])
  const developer = await signedIn(db, url, org.id, 'developer')
  const viewer = await signedIn(db, url, org.id, 'viewer')
  return { org, developer, viewer }
}

t.test('a domain is added, shown with the records to publish, and removed', async (t) => {
  const { org, developer, viewer } = await scene()
  const added = await submit(url, '/app/domains/new', developer, { domain: 'Shop.Example' })
  t.equal(added.headers.get('location'), '/app/domains/shop.example')
  const page = await get(url, '/app/domains/shop.example', viewer)
  t.match(page.text, /bounce\.shop\.example.*v=spf1/s)
  t.notMatch(page.text, '/app/domains/shop.example/remove')
  t.equal((await get(url, '/app/domains/shop.example', (await scene()).developer)).status, 404)
  const again = await submit(url, '/app/domains/new', developer, { domain: 'shop.example' })
  t.equal(again.status, 409)
  t.match(again.text, 'is one of your domains already')
  const faulty = await submit(url, '/app/domains/new', developer, { domain: 'gmail.com' })
  t.match(faulty.text, /id="domain-fault">is the domain of a mailbox provider/)
  t.equal((await submit(url, '/app/domains/shop.example/remove', viewer, {})).status, 403)
  t.equal((await submit(url, '/app/domains/shop.example/remove', developer, {})).status, 303)
  t.match((await get(url, '/app/domains', developer)).text, 'None is here yet')
  const by = { by: 'user', name: developer.email }
  t.match(await toldOf(db, org.id, developer, /domain/), [
    { ...by, action: 'email_domain.deleted' },
    { ...by, action: 'email_domain.created', after: { domain: 'shop.example' } },
  ])
})

t.test(
  'a mail that may not leave is refused at its field; the list is filtered and stays with its organisation',
  async (t) => {
    const { developer, viewer } = await scene()
    const mail = {
      from: 'me@nowhere.example',
      to: 'ann@people.example',
      stream: 'transactional',
      subject: 'Hi',
      text: 'Hello',
    }
    const refused = await submit(url, '/app/mail/new', developer, mail)
    t.ok(refused.status >= 400 && refused.status < 500, `${refused.status}`)
    t.match(refused.text, 'value="me@nowhere.example"')
    t.equal((await submit(url, '/app/mail/new', viewer, mail)).status, 403)
    t.equal((await get(url, '/app/mail?status=bounced&stream=&to=', viewer)).status, 200)
    t.equal((await get(url, '/app/mail?status=odd', viewer)).status, 400)
    t.equal((await get(url, '/app/mail/no-id', viewer)).status, 404)
  },
)
