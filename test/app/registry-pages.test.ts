import t from 'tap'
import { provide } from '../../ingress/http/container.ts'
import * as services from '../../ingress/http/services.ts'
import { testDatabase } from '../support/database.ts'
import { testIngress, testOrg } from '../support/ingress.ts'
import { signingSecret } from '../support/signing-secret.ts'
import { get, signedIn, submit } from './fixture.ts'

t.setTimeout(240_000)
const { db } = await testDatabase(t)
const { url, ask } = await testIngress(t, db, [], {
  only: ['app', 'account', 'erp'],
  services: [provide(services.signingSecret, signingSecret)],
})
const page = '/app/registry/watches'
const urlIn = (text: string) => /\/reconcile\/[0-9A-Za-z_]{43,60}/.exec(text)?.[0] ?? 'none'

t.test('a developer creates, copies and deletes a reconciliation URL; a viewer sees its name only', async (t) => {
  const { org } = await testOrg(db, [])
  const [developer, viewer] = [await signedIn(db, url, org.id, 'developer'), await signedIn(db, url, org.id, 'viewer')]
  t.match((await get(url, page, developer)).text, 'Reconciliation URLs appear here.')
  t.equal((await get(url, '/app/registry/reconcilers/new', viewer)).status, 403)
  const empty = await submit(url, '/app/registry/reconcilers/new', developer, { name: ' ' })
  t.match(empty, { status: 400, text: /id="name-fault"/ })
  const made = await submit(url, '/app/registry/reconcilers/new', developer, { name: 'Refine <b>' })
  t.equal(made.status, 200, made.text)
  const place = urlIn(made.text)
  t.match((await ask(`GET ${place}`)).body, { versions: ['0.1', '0.2'] })
  const [shown, seen] = [(await get(url, page, developer)).text, (await get(url, page, viewer)).text]
  t.equal(urlIn(shown), place)
  t.match(shown, 'Refine &lt;b&gt;')
  t.match(seen, 'Refine &lt;b&gt;')
  t.equal(urlIn(seen), 'none')
  const path = /\/app\/registry\/reconcilers\/[0-9a-f-]{36}\/delete/.exec(shown)?.[0] ?? ''
  const stranger = await signedIn(db, url, (await testOrg(db, [])).org.id, 'developer')
  t.equal((await get(url, path, stranger)).status, 404)
  t.equal((await submit(url, path, stranger, {})).status, 404)
  t.equal((await submit(url, path, viewer, {})).status, 403)
  t.match((await get(url, path, developer)).text, 'Delete reconciliation URL?')
  t.equal((await submit(url, path, developer, {})).status, 303)
  t.equal((await ask(`GET ${place}`)).status, 404)
})
