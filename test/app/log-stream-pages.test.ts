import '../support/work-environment.ts'
import t from 'tap'
import { newId } from '#lib/ids.ts'
import * as rejects from '#sql/account/streams/rejects.ts'
import { provide } from '../../ingress/http/container.ts'
import { signingSecret } from '../../ingress/http/services.ts'
import { testDatabase } from '../support/database.ts'
import { testIngress, testOrg } from '../support/ingress.ts'
import { get, signedIn, submit } from './fixture.ts'

const { db } = await testDatabase(t)
const services = [provide(signingSecret, 'a secret of this test, long enough to sign')]
const { url } = await testIngress(t, db, [], { only: ['app', 'account'], services })

const common = { name: 'Audit archive', types: ['email.*'], classes: ['4', '5'], batch_seconds: '30' }
const kinds = {
  s3: {
    region: 'eu-north-1',
    bucket: 'acme-audit',
    addressing: 'virtual',
    access_key_id: 'AKID',
    secret_access_key: 'bucket-secret',
  },
  otlp: {
    url: 'https://logs.example.com/v1/logs',
    encoding: 'json',
    headers: 'Authorization: Bearer otlp-secret\nX-Scope: acme',
  },
  syslog: { host: 'logs.example.com', port: '6514', app_name: 'shop', facility: '16' },
  splunk: { url: 'https://splunk.example.com', hec_token: 'splunk-secret', index: 'main' },
}

t.test('an owner creates, edits, pauses and deletes a stream of each kind', async (t) => {
  const { org } = await testOrg(db, [])
  const owner = await signedIn(db, url, org.id, 'owner')
  const viewer = await signedIn(db, url, org.id, 'viewer')
  t.match((await get(url, '/app/log-streams', owner)).text, 'Your log streams appear here')
  const choice = await get(url, '/app/log-streams/new', owner)
  for (const [kind, fields] of Object.entries(kinds)) {
    t.match(choice.text, `/app/log-streams/new/${kind}`)
    const path = `/app/log-streams/new/${kind}`
    t.equal((await get(url, path, owner)).status, 200)
    const given = { ...common, sources: ['audit', 'events', 'requests'], ...fields }
    const made = await submit(url, path, owner, given)
    t.equal(made.status, 303, made.text)
    const one = made.headers.get('location') as string
    const shown = await get(url, one, owner)
    t.match(shown.text, 'Audit archive')
    t.match(shown.text, 'Positions')
    t.notMatch(shown.text, /(bucket|otlp|splunk)-secret/)
    const settings = await get(url, `${one}/settings`, owner)
    t.notMatch(settings.text, /(bucket|otlp|splunk)-secret/)
    t.equal((await submit(url, `${one}/settings`, owner, fields)).status, 303)
    const id = one.split('/').at(-1) as string
    await rejects.add(db, {
      id: newId(),
      stream_id: id,
      org_id: org.id,
      source: 'audit',
      number: 1,
      record_id: 'r-1',
      reason: 'The server returned 400.',
    })
    t.match((await get(url, one, viewer)).text, 'The server returned 400.')
    t.equal((await submit(url, `${one}/pause`, viewer, {})).status, 403)
    t.equal((await submit(url, `${one}/edit`, owner, { ...common, name: 'other', sources: ['audit'] })).status, 303)
    t.equal((await submit(url, `${one}/pause`, owner, {})).status, 303)
    t.match((await get(url, one, owner)).text, 'Resume log stream')
    t.equal((await submit(url, `${one}/resume`, owner, {})).status, 303)
    t.match((await get(url, '/app/log-streams', owner)).text, 'other')
    t.match((await get(url, `${one}/remove`, owner)).text, 'Delete other?')
    t.equal((await submit(url, `${one}/remove`, owner, {})).status, 303)
    t.equal((await get(url, one, owner)).status, 404)
  }
})

t.test('faults are at their fields, and roles limit the sources', async (t) => {
  const { org } = await testOrg(db, [])
  const developer = await signedIn(db, url, org.id, 'developer')
  const path = '/app/log-streams/new/splunk'
  const bad = await submit(url, path, developer, {
    ...common,
    sources: ['events'],
    url: 'https://10.0.0.1',
    hec_token: 'x',
  })
  t.equal(bad.status, 400)
  t.match(bad.text, /id="url-fault">[^<]*not a public address/)
  const empty = await submit(url, path, developer, {
    ...common,
    sources: ['events'],
    url: 'https://example.com',
    hec_token: '',
  })
  t.match(empty.text, /id="hec_token-fault"/)
  const audit = await submit(url, path, developer, { ...common, sources: ['audit'], ...kinds.splunk })
  t.equal(audit.status, 403, 'developers cannot read the audit log, so they cannot stream it')
  t.equal((await submit(url, path, developer, { ...common, sources: ['events'], ...kinds.splunk })).status, 303)
})
