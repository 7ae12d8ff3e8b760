import t from 'tap'
import * as keyRows from '#sql/account/keys.ts'
import type { Role } from '#sql/account/people/members.ts'
import { sql } from '#sql/db.ts'
import { invite as inviteByRule } from '#tasks/account/rules/invitations.ts'
import { changeRole, removeMember } from '#tasks/account/rules/members.ts'
import { canAssign, canRole, getRolePower, getRoleScopes } from '#tasks/account/rules/roles.ts'
import { provide } from '../../ingress/http/container.ts'
import { signingSecret } from '../../ingress/http/services.ts'
import { signedIn, submit, tokenOf } from '../app/fixture.ts'
import { actionsOf, mailTo, secret, TestBrowser } from '../app/sign-in-fixture.ts'
import { testDatabase } from '../support/database.ts'
import { testIngress, testOrg } from '../support/ingress.ts'

const { db } = await testDatabase(t)
const services = [provide(signingSecret, secret)]
const { url, ask } = await testIngress(t, db, [], { only: ['app', 'account'], services })

/** An organisation, its key for people, and a member of each role that is wanted. */
async function organisation(...roles: Role[]) {
  const { org, keys } = await testOrg(db, [...getRoleScopes('admin')])
  const people = []
  for (const role of roles) people.push(await signedIn(db, url, org.id, role))
  return { org, key: keys.main, people }
}

const doer = (orgId: string, role: Role, id: string | null = null) => ({
  orgId,
  role,
  actor: { kind: 'user' as const, id, name: role },
})

t.test(
  'what roles may do: developers give no account scope, nobody that of operators, owners are made by owners',
  async (t) => {
    for (const role of ['owner', 'admin', 'developer', 'viewer'] as const) {
      t.notOk(getRoleScopes(role).includes('operator'), role)
      t.equal(canAssign(role, 'owner'), role === 'owner', role)
    }
    t.same(
      getRoleScopes('developer').filter((scope) => scope.startsWith('account:')),
      ['account:read', 'account:logs', 'account:webhooks'],
    )
    t.same(getRoleScopes('viewer'), [])
    t.notOk(canRole('viewer', 'keys:live'))
    t.notOk(canRole('admin', 'closure'))
  },
)

t.test('members are listed, changed and removed by a key of theirs, and of nobody else', async (t) => {
  const { org, key, people } = await organisation('owner', 'developer', 'viewer')
  const [owner, developer, viewer] = people as [(typeof people)[0], (typeof people)[0], (typeof people)[0]]
  const list = await ask('GET /v1/account/members?limit=2', { key })
  t.equal(list.body.data.length, 2)
  const rest = await ask(`GET /v1/account/members?limit=2&cursor=${list.body.next_cursor}`, { key })
  t.equal(rest.body.data.length, 1)

  const path = (id: string) => `/v1/account/members/${id}`
  const changed = await ask(`PATCH ${path(viewer.userId)}`, { key, body: { role: 'admin' } })
  t.match(changed, { status: 200, body: { role: 'admin', email: viewer.email, seen_at: null } })
  t.equal((await new TestBrowser(url).adopt(viewer.cookie).get('/app')).status, 303, 'their sessions end')
  t.equal((await ask(`PATCH ${path(developer.userId)}`, { key, body: { role: 'owner' } })).status, 403)
  t.equal((await ask(`PATCH ${path(owner.userId)}`, { key, body: { role: 'viewer' } })).status, 403)
  t.equal((await ask(`DELETE ${path(owner.userId)}`, { key })).status, 403)
  t.equal((await ask(`PATCH ${path(developer.userId)}`, { key, body: { role: 'boss' } })).status, 400)

  const other = await organisation('owner')
  for (const request of [`PATCH ${path(developer.userId)}`, `DELETE ${path(developer.userId)}`]) {
    const body = request.startsWith('PATCH') ? { body: { role: 'viewer' } } : {}
    t.equal((await ask(request, { key: other.key, ...body })).status, 404, 'another organisation’s')
  }
  const { keys } = await testOrg(db, ['account:read'])
  t.equal((await ask('GET /v1/account/members', { key: keys.main })).status, 403)
  t.equal((await ask(`DELETE ${path(developer.userId)}`, { key })).status, 204)
  t.equal((await ask(`DELETE ${path(developer.userId)}`, { key })).status, 404)
  t.same(await actionsOf(db, org.id), ['member.role_changed', 'member.removed'])
  const cookie = { headers: { cookie: owner.cookie } }
  t.equal((await ask('GET /v1/account/members', cookie)).status, 401, 'no cookie opens /v1')
})

t.test('the last owner stays, by demotion, by removal, and when two go at once', async (t) => {
  const { org, people } = await organisation('owner', 'owner')
  const [one, two] = people.map(({ userId }) => userId) as [string, string]
  const both = await Promise.allSettled([
    db.transaction((tx) => changeRole(tx, doer(org.id, 'owner', one), one, 'viewer')),
    db.transaction((tx) => removeMember(tx, doer(org.id, 'owner', two), two)),
  ])
  t.equal(both.filter(({ status }) => status === 'fulfilled').length, 1)
  t.match(
    both.find(({ status }) => status === 'rejected'),
    { reason: { status: 409, code: 'last_owner' } },
  )
  const left = (await db.oneFirst(sql.unsafe`
    select user_id from account.members where org_id = ${org.id} and role = 'owner'`)) as string
  for (const work of [
    () => db.transaction((tx) => changeRole(tx, doer(org.id, 'owner', left), left, 'admin')),
    () => db.transaction((tx) => removeMember(tx, doer(org.id, 'owner', left), left)),
  ])
    await t.rejects(async () => void (await work()), { code: 'last_owner' })
})

t.test(
  'an invitation is mailed, opened, accepted by who gives a name, and makes a member who is signed in',
  async (t) => {
    const { org, key } = await organisation('owner')
    const email = 'ann@joining.example'
    const made = await ask('POST /v1/account/invitations', {
      key,
      body: { email: 'Ann@Joining.example', role: 'developer' },
    })
    t.match(made, { status: 201, body: { email, role: 'developer', sent_at: null } })
    t.notMatch(made.text, /token|hash/)
    t.equal(
      (await ask('POST /v1/account/invitations', { key, body: { email, role: 'viewer' } })).body.error.code,
      'already_invited',
    )
    t.equal(
      (await ask('POST /v1/account/invitations', { key, body: { email: 'x@y.example', role: 'owner' } })).status,
      403,
    )
    const first = await mailTo(db, email)
    t.equal((await ask(`POST /v1/account/invitations/${made.body.id}/resend`, { key })).status, 200)
    const mail = await mailTo(db, email)
    const link = mail?.link ?? ''
    t.match(mail?.text, `invited to join ${org.name}`)

    const browser = new TestBrowser(url)
    t.equal((await browser.get(first?.link ?? '')).status, 404, 'the link before is good no more')
    for (let i = 0; i < 3; i++) t.match((await browser.get(link)).text, 'invites you')
    t.equal((await browser.post(link, {})).status, 400, 'a scanner that submits the form gives no name')
    const cross = { origin: 'https://evil.example', 'sec-fetch-site': 'cross-site' }
    t.equal((await browser.post(link, { name: 'Ann' }, cross)).status, 403)
    const joined = await Promise.all([
      browser.post(link, { name: 'Ann' }),
      new TestBrowser(url).post(link, { name: 'Eve' }),
    ])
    const [one, other] = joined.map(({ status }) => status).sort()
    t.equal(one, 303)
    t.ok(other === 404 || other === 409, 'a link is good once: the other comes too late, or is asked to sign in')
    t.match((await new TestBrowser(url).get(link)).text, 'Sign in as ann@joining.example')
    t.equal(
      (await ask('POST /v1/account/invitations', { key, body: { email, role: 'viewer' } })).body.error.code,
      'already_member',
    )
    t.same((await ask('GET /v1/account/invitations', { key })).body.data, [])
  },
)

t.test('an invitation is no way into an account that is there', async (t) => {
  const mine = await organisation('owner')
  const theirs = await organisation('viewer')
  const victim = theirs.people[0] as (typeof theirs.people)[0]
  await ask('POST /v1/account/invitations', { key: mine.key, body: { email: victim.email, role: 'viewer' } })
  const { link = '' } = (await mailTo(db, victim.email)) ?? {}
  const thief = new TestBrowser(url)
  t.match((await thief.get(link)).text, 'already has an account. Sign in first.')
  t.equal((await thief.post(link, { name: 'Thief' })).status, 409)
  t.notOk(thief.session)
  const owner = mine.people[0] as (typeof mine.people)[0]
  const wrong = new TestBrowser(url).adopt(owner.cookie)
  t.equal(
    (await wrong.post(link, { token: tokenOf(await wrong.get('/app/you')) })).status,
    409,
    'nor for somebody else',
  )

  const right = new TestBrowser(url).adopt(victim.cookie)
  t.equal((await right.post(link, { token: 'other' })).status, 409)
  const before = right.session
  t.equal((await right.post(link, { token: tokenOf(await right.get(link)) })).status, 303)
  t.not(right.session, before, 'for another organisation the session has another secret')
  t.match((await right.get('/app/you')).text, mine.org.name)
  const back = await right.post(`/app/you/organisations/${theirs.org.id}`, {
    token: tokenOf(await right.get('/app/you')),
  })
  t.equal(back.status, 303)
  const stranger = await organisation('owner')
  const on = await right.post(`/app/you/organisations/${stranger.org.id}`, {
    token: tokenOf(await right.get('/app/you')),
  })
  t.equal(on.status, 404)
})

t.test('a withdrawn or old invitation lets nobody in', async (t) => {
  const { org, key } = await organisation('owner')
  const invite = async (email: string) => {
    const { body } = await ask('POST /v1/account/invitations', { key, body: { email, role: 'viewer' } })
    return { id: body.id as string, link: (await mailTo(db, email))?.link ?? '' }
  }
  const [withdrawn, old] = [await invite('one@late.example'), await invite('two@late.example')]
  t.equal((await ask(`DELETE /v1/account/invitations/${withdrawn.id}`, { key })).status, 204)
  t.equal((await ask(`DELETE /v1/account/invitations/${withdrawn.id}`, { key })).status, 404)
  await db.query(sql.unsafe`update account.invitations set expires_at = now() where id = ${old.id}`)
  for (const { link } of [withdrawn, old]) {
    t.equal((await new TestBrowser(url).get(link)).status, 404)
    t.equal((await new TestBrowser(url).post(link, { name: 'Late' })).status, 404)
  }
  t.ok((await invite('two@late.example')).id, 'an old one is in no new one’s way')
  const other = await organisation('owner')
  t.equal((await ask(`POST /v1/account/invitations/${old.id}/resend`, { key: other.key })).status, 404)
  t.ok((await actionsOf(db, org.id)).includes('invitation.withdrawn'))
})

t.test('a stranger is mailed so often in a day, whoever invites them', async (t) => {
  const { org, key } = await organisation('owner')
  const email = 'stranger@joining.example'
  const made = await ask('POST /v1/account/invitations', { key, body: { email, role: 'viewer' } })
  await mailTo(db, email)
  for (let n = 1; n < 10; n++) {
    t.equal((await ask(`POST /v1/account/invitations/${made.body.id}/resend`, { key })).status, 200)
    await mailTo(db, email)
  }
  await ask(`POST /v1/account/invitations/${made.body.id}/resend`, { key })
  await t.rejects(mailTo(db, email), { name: 'Later' })
  const mailed = await db.oneFirst(
    sql.typeAlias('count')`select count(*) from email.messages where to_email = ${email}`,
  )
  t.equal(mailed, 10, `of ${org.name}`)
  t.equal((await ask(`DELETE /v1/account/invitations/${made.body.id}`, { key })).status, 204, 'what waits, ends')
})

t.test(
  'a key gives and takes the roles alone whose scopes it holds, and one that is bound by anything, none',
  async (t) => {
    const { org, people } = await organisation('viewer', 'admin')
    const [viewer, admin] = people as [(typeof people)[0], (typeof people)[0]]
    const all = [...getRoleScopes('admin')]
    const made = async (more: Partial<Parameters<typeof keyRows.create>[1]>) =>
      (await keyRows.create(db, { orgId: org.id, prefix: 'bt_live_', name: 'k', scopes: all, ...more })).secret
    const requests = (key: string, role: Role) => [
      ask('POST /v1/account/invitations', { key, body: { email: `${role}@bound.example`, role } }),
      ask(`PATCH /v1/account/members/${viewer.userId}`, { key, body: { role } }),
    ]
    const bound: Record<string, Partial<Parameters<typeof keyRows.create>[1]>> = {
      test: { prefix: 'bt_test_', mode: 'test' },
      locks: { locks: { from_domains: ['shop.example'] } },
      networks: { networks: ['127.0.0.0/8', '::1/128'] },
      expires_at: { expires_at: new Date(Date.now() + 3_600_000) },
    }
    for (const [name, more] of Object.entries(bound)) {
      const key = await made(more)
      for (const role of ['admin', 'developer', 'viewer'] as const) {
        t.same(
          (await Promise.all(requests(key, role))).map(({ status }) => status),
          [403, 403],
          `${name} ${role}`,
        )
      }
      t.equal((await ask(`DELETE /v1/account/members/${viewer.userId}`, { key })).status, 403, name)
    }
    const narrow = await made({ scopes: ['account:members'] })
    // Whoever views sees nearly everything, so that the scope for members alone gives no role.
    for (const role of ['admin', 'developer', 'viewer'] as const) {
      const replies = await Promise.all(requests(narrow, role))
      for (const reply of replies)
        t.match(reply, { status: 403, body: { error: { message: /whose permissions it has/ } } })
    }
    t.equal(
      (await ask(`PATCH /v1/account/members/${admin.userId}`, { key: narrow, body: { role: 'viewer' } })).status,
      403,
    )
    t.equal((await ask('GET /v1/account/invitations', { key: narrow })).body.data.length, 0)
    const developers = await made({ scopes: ['account:members', ...getRolePower('developer')] })
    t.equal((await requests(developers, 'admin')[0])?.status, 403)
    t.same(
      (await Promise.all(requests(developers, 'developer'))).map(({ status }) => status),
      [201, 200],
    )
  },
)

t.test('invitations end with the role by which they were made', async (t) => {
  const { org, key, people } = await organisation('owner', 'admin', 'owner')
  const [owner, admin, former] = people as [(typeof people)[0], (typeof people)[0], (typeof people)[0]]
  const invite = async (member: typeof owner, email: string, role: Role) => {
    t.equal((await submit(url, '/app/members/invite', member, { email, role })).status, 303)
    return (await mailTo(db, email))?.link ?? ''
  }
  const left = await invite(admin, 'left@made.example', 'admin')
  const above = await invite(former, 'above@made.example', 'owner')
  const within = await invite(former, 'within@made.example', 'viewer')
  const other = await invite(owner, 'other@made.example', 'viewer')
  t.equal((await ask(`DELETE /v1/account/members/${admin.userId}`, { key })).status, 204)
  t.equal((await submit(url, `/app/members/${former.userId}`, owner, { role: 'admin' })).status, 303)
  for (const [link, status] of [
    [left, 404],
    [above, 404],
    [within, 303],
    [other, 303],
  ] as const) {
    t.equal((await new TestBrowser(url).post(link, { name: 'Guest' })).status, status)
  }
  t.equal((await actionsOf(db, org.id)).filter((action) => action === 'invitation.withdrawn').length, 2)
  const late = { orgId: org.id, actor: { kind: 'user', id: admin.userId, name: 'late' } } as const
  await t.rejects(
    db.transaction((tx) => inviteByRule(tx, late, { email: 'late@made.example', role: 'viewer' })),
    { code: 'forbidden' },
    'nor is one made by somebody whose role was taken meanwhile',
  )
})
