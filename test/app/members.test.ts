import t from 'tap'
import * as audit from '#sql/account/audit.ts'
import * as members from '#sql/account/people/members.ts'
import { everything } from '#sql/filters.ts'
import { testDatabase } from '../support/database.ts'
import { testIngress, testOrg } from '../support/ingress.ts'
import { get, signedIn, submit } from './fixture.ts'

const { db } = await testDatabase(t)
const { url } = await testIngress(t, db, [], { only: ['app', 'account'] })

async function scene() {
  const { org } = await testOrg(db, [])
  const owner = await signedIn(db, url, org.id, 'owner')
  const admin = await signedIn(db, url, org.id, 'admin')
  const viewer = await signedIn(db, url, org.id, 'viewer')
  return { org, owner, admin, viewer }
}

t.test('an admin invites and makes a developer, and neither an owner', async (t) => {
  const { org, owner, admin, viewer } = await scene()
  const invited = await submit(url, '/app/members/invite', admin, { email: 'New@people.example', role: 'developer' })
  t.equal(invited.headers.get('location'), '/app/members')
  const page = await get(url, '/app/members', admin)
  t.match(page.text, 'Invitation sent to new@people.example.')
  t.match(page.text, viewer.email)
  const changed = await submit(url, `/app/members/${viewer.userId}`, admin, { role: 'developer' })
  t.equal(changed.status, 303)
  t.equal((await members.find(db, org.id, viewer.userId))?.role, 'developer')
  t.equal((await get(url, '/app', viewer)).status, 303, 'the session ended with the role')
  for (const [path, fields] of [
    [`/app/members/${viewer.userId}`, { role: 'owner' }],
    [`/app/members/${owner.userId}`, { role: 'viewer' }],
    ['/app/members/invite', { email: 'boss@people.example', role: 'owner' }],
  ] as const) {
    const refused = await submit(url, path, admin, fields)
    t.equal(refused.status, 403, path)
  }
  const acts = await audit.list(db, org.id, { where: everything, before: undefined, limit: 10 })
  t.match(
    acts.map(({ action }) => action),
    ['member.role_changed', 'invitation.created'],
  )
})

t.test('the last owner stays one, however it is tried', async (t) => {
  const { org, owner } = await scene()
  const page = await submit(url, `/app/members/${owner.userId}`, owner, { role: 'admin' })
  t.equal(page.status, 409)
  t.match(page.text, 'This is the last owner')
  const removed = await submit(url, `/app/members/${owner.userId}/remove`, owner, {})
  t.equal(removed.status, 303)
  t.match((await get(url, '/app/members', owner)).text, 'This is the last owner')
  t.equal((await members.find(db, org.id, owner.userId))?.role, 'owner')
})

t.test('faults stand at their fields, and what was given stays', async (t) => {
  const { admin } = await scene()
  const page = await submit(url, '/app/members/invite', admin, { email: 'no address', role: 'king' })
  t.equal(page.status, 400)
  t.match(page.text, /value="no address"[^>]*aria-describedby="email-hint email-fault"/)
  t.match(page.text, 'id="role-fault"')
})

t.test('walls: roles, other organisations, forged and foreign forms, no confirmation', async (t) => {
  const { org, admin, viewer } = await scene()
  const other = await scene()
  t.equal((await get(url, '/app/members', viewer)).status, 403)
  t.equal((await submit(url, '/app/members/invite', viewer, { email: 'a@b.example', role: 'viewer' })).status, 403)
  t.equal((await get(url, `/app/members/${other.viewer.userId}`, admin)).status, 404)
  t.equal((await submit(url, `/app/members/${other.viewer.userId}`, admin, { role: 'viewer' })).status, 404)
  const foreign = { origin: 'https://evil.example', 'sec-fetch-site': 'cross-site' }
  const fields = { email: 'a@b.example', role: 'viewer' }
  t.equal((await submit(url, '/app/members/invite', admin, fields, foreign)).status, 403)
  t.equal((await submit(url, '/app/members/invite', admin, { ...fields, token: 'forged' })).status, 403)
  const unsure = await signedIn(db, url, org.id, 'admin', { steppedUp: false })
  const asked = await submit(url, '/app/members/invite', unsure, fields)
  t.match(asked, { status: 403, text: 'Confirm your identity' })
})

t.test('the audit page tells all to an admin, what is theirs to a developer, nothing to a viewer', async (t) => {
  const { org, admin, viewer } = await scene()
  const developer = await signedIn(db, url, org.id, 'developer')
  await submit(url, '/app/members/invite', admin, { email: 'x@people.example', role: 'viewer' })
  t.match((await get(url, '/app/audit', admin)).text, '<code>invitation.created')
  t.notMatch((await get(url, '/app/audit', developer)).text, '<code>invitation.created')
  t.equal((await get(url, '/app/audit', viewer)).status, 403)
})
