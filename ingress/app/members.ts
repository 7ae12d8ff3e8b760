import { z } from 'zod'
import { Address } from '#lib/email-address.ts'
import { Id } from '#lib/ids.ts'
import * as invitations from '#sql/account/people/invitations.ts'
import * as members from '#sql/account/people/members.ts'
import { confirmInvitation, invite, resend, withdraw } from '#tasks/account/rules/invitations.ts'
import { changeRole, removeMember } from '#tasks/account/rules/members.ts'
import { canAssign } from '#tasks/account/rules/roles.ts'
import type { DashboardSection } from '../http/dashboard/contents.ts'
import { action, formPage, page } from '../http/dashboard/page.ts'
import type { Member } from '../http/dashboard/session.ts'
import { dataTable } from '../http/html/data-table.ts'
import { type FormState, selectField, textField } from '../http/html/form.ts'
import { ago } from '../http/html/format.ts'
import { type Html, html, quiet } from '../http/html/html.ts'
import { olderLink } from '../http/html/paging.ts'
import { actionButton, emptyState, parentLink, renderFault, tokenField } from '../http/html/parts.ts'
import { mustFind } from '../http/must-find.ts'

export const people = {
  title: 'Members',
  path: '/app/members',
  group: 'Organisation',
  guide: 'dashboard',
  permission: 'members:read',
} as const satisfies DashboardSection

const perPage = 100

const words: Record<members.Role, string> = {
  owner: 'all permissions, including managing owners and closing the organisation',
  admin: 'all developer permissions, and managing members, budgets and settings',
  developer: 'API keys, webhooks, domains, request log and content',
  viewer: 'read-only access',
}

const roleOptions = (by: Member): [string, string][] =>
  members.Role.options.filter((role) => canAssign(by.role, role)).map((role) => [role, `${role}: ${words[role]}`])

export const overview = page({
  path: '/members',
  summary: 'List members and invitations',
  section: people,
  permission: 'members:read',
  query: z.object({ before: Id.optional() }),
  async view({ db, member, may, query: { before } }) {
    const found = await members.list(db, member.orgId, { limit: perPage + 1, before })
    const shown = found.slice(0, perPage)
    const last = found.length > perPage ? shown.at(-1) : undefined
    const open = await invitations.listPending(db, member.orgId, { limit: perPage, before: undefined })
    const main = html`<div class="title"><h1>Members</h1>${may('members:write') && html`<a class="button primary" href="/app/members/invite">Invite member</a>`}</div>
${memberTable(shown, member)}
${last && olderLink('/app/members', { before: last.user_id }, 'More')}
<section><h2>Invitations</h2>${open.length === 0 ? emptyState('No pending invitations.') : invitationTable(open, member)}</section>`
    return { title: 'Members', main }
  },
})

const memberTable = (shown: readonly members.Member[], by: Member): Html =>
  dataTable('Members', shown, {
    Email: (one) => html`${one.email}${one.user_id === by.userId && html` <span class="quiet">you</span>`}`,
    Name: (one) => one.name,
    Role: (one) => one.role,
    'Sign-in method': (one) => (one.passkeys > 0 ? 'passkey' : quiet('email')),
    'Last seen': (one) => ago(one.seen_at),
    Actions: [
      'actions',
      (one) =>
        canAssign(by.role, one.role) &&
        html`<a class="button" href="/app/members/${one.user_id}">Edit<span class="unseen"> ${one.email}</span></a>`,
    ],
  })

const invitationTable = (open: readonly invitations.Invitation[], by: Member): Html =>
  dataTable('Invitations', open, {
    Email: ({ email, made_by_key }) =>
      html`${email}${made_by_key && html` <span class="quiet">created by an API key; revoked when that key is revoked</span>`}`,
    Role: ({ role }) => role,
    Expires: ({ expires_at }) => ago(expires_at),
    Actions: [
      'actions',
      ({ id, email, role, made_by_key }) =>
        canAssign(by.role, role) &&
        html`${made_by_key && by.role === 'owner' && actionButton(by, `/app/invitations/${id}/confirm`, 'Confirm', { of: email })} ${actionButton(by, `/app/invitations/${id}/resend`, 'Resend', { of: `to ${email}` })} ${actionButton(by, `/app/invitations/${id}/withdraw`, 'Withdraw', { of: email, grave: true })}`,
    ],
  })

export const { show: askToInvite, submit: sendInvitation } = formPage({
  path: '/members/invite',
  summary: 'Invite a member',
  section: people,
  permission: 'members:write',
  stepUp: true,
  fields: z.object({ email: Address, role: members.Role }),
  async view({ member, filled, fault }) {
    const main = html`${parentLink('Members', people.path)}<h1>Invite member</h1>${renderFault(fault)}
<form class="form" method="post">${tokenField(member)}
${textField(filled, { name: 'email', label: 'Email', type: 'email', required: true, hint: 'Millrace sends an email with a link. The link expires after seven days.' })}
${selectField(filled, { name: 'role', label: 'Role', options: roleOptions(member), otherwise: 'developer' })}
<button>Send invitation</button></form>`
    return { title: 'Invite member', main }
  },
  async submit({ db, doer, given }) {
    const { email } = await db.transaction((tx) => invite(tx, doer, given))
    return { to: people.path, told: `Invitation sent to ${email}.` }
  },
})

export const { show: askForRole, submit: setRole } = formPage({
  path: '/members/{user_id}',
  summary: 'Show a member',
  section: people,
  permission: 'members:write',
  stepUp: true,
  params: z.object({ user_id: Id }),
  fields: z.object({ role: members.Role }),
  async view({ db, member, params, filled, fault }) {
    const found = await mustFind(members.find(db, member.orgId, params.user_id), 'member')
    const main = html`${parentLink('Members', people.path)}<h1>${found.email}</h1>${renderFault(fault)}
${roleForm(filled, found, member)}
<section><h2>Removal</h2><p class="lead">The member is signed out of all sessions immediately. API keys that the member created stay active.</p>
${actionButton(member, `/app/members/${found.user_id}/remove`, `Remove ${found.email}`, { grave: true })}</section>`
    return { title: found.email, main }
  },
  async submit({ db, doer, given, params }) {
    const { email, role } = await db.transaction((tx) => changeRole(tx, doer, params.user_id, given.role))
    return { to: people.path, told: `${email} now has the ${role} role and must sign in again.` }
  },
})

const roleForm = (
  filled: FormState,
  { role }: members.Member,
  by: Member,
): Html => html`<form class="form" method="post">${tokenField(by)}
${selectField(filled, { name: 'role', label: 'Role', options: roleOptions(by), otherwise: role, hint: 'If you change the role, the member is signed out of all sessions.' })}
<button>Save role</button></form>`

const back = () => people.path

export const remove = action({
  path: '/members/{user_id}/remove',
  summary: 'Remove a member',
  permission: 'members:write',
  stepUp: true,
  params: z.object({ user_id: Id }),
  back,
  async perform({ db, doer, params }) {
    await db.transaction((tx) => removeMember(tx, doer, params.user_id))
    return { to: people.path, told: 'Member removed.' }
  },
})

export const again = action({
  path: '/invitations/{id}/resend',
  summary: 'Resend an invitation',
  permission: 'members:write',
  params: z.object({ id: Id }),
  back,
  async perform({ db, doer, params }) {
    const { email } = await db.transaction((tx) => resend(tx, doer, params.id))
    return { to: people.path, told: `Invitation to ${email} sent again. The previous link no longer works.` }
  },
})

export const confirm = action({
  path: '/invitations/{id}/confirm',
  summary: 'Confirm an invitation created by an API key',
  permission: 'owners',
  stepUp: true,
  params: z.object({ id: Id }),
  back,
  async perform({ db, doer, params }) {
    await db.transaction((tx) => confirmInvitation(tx, doer, params.id))
    return { to: people.path, told: 'Invitation confirmed.' }
  },
})

export const takeBack = action({
  path: '/invitations/{id}/withdraw',
  summary: 'Withdraw an invitation',
  permission: 'members:write',
  params: z.object({ id: Id }),
  back,
  async perform({ db, doer, params }) {
    await db.transaction((tx) => withdraw(tx, doer, params.id))
    return { to: people.path, told: 'Invitation withdrawn.' }
  },
})
