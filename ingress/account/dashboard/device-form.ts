import type { DeviceLogin } from '#sql/account/device-logins.ts'
import { getRoleScopes } from '#tasks/account/rules/roles.ts'
import type { Member } from '../../http/dashboard/session.ts'
import { type FormState, selectField, textField } from '../../http/html/form.ts'
import { ago } from '../../http/html/format.ts'
import { type Html, html } from '../../http/html/html.ts'
import { renderFault, tokenField } from '../../http/html/parts.ts'
import { picker } from '../../http/html/picker.ts'
import { factList } from './fields.ts'
import { scopeGroups } from './key-form.ts'

const empty: FormState = { given: {}, faults: {} }

export const codeForm = (fault: string | undefined): Html => html`<h1>Connect a program</h1>${renderFault(fault)}
<p class="lead">Enter the code that your program shows. Do not enter a code that another person sent you.</p>
<form class="form" method="get" action="/app/device">
${textField(empty, { name: 'code', label: 'Code', required: true, hint: 'Eight letters. For example, BCDF-GHJK.' })}
<button class="primary">Continue</button></form>`

const days = [
  ['7', '7 days'],
  ['30', '30 days'],
  ['90', '90 days'],
  ['365', '1 year'],
  ['', 'never'],
] as const

interface Request {
  login: DeviceLogin
  code: string
  filled: FormState
  fault: string | undefined
}

export function requestForm(member: Member, { login, code, filled, fault }: Request): Html {
  const held = getRoleScopes(member.role)
  const wanted = login.scopes.filter((scope) => held.some((one) => one === scope))
  const missing = login.scopes.filter((scope) => !wanted.includes(scope))
  return html`<h1>Connect a program</h1>${renderFault(fault)}
<p class="lead">A program requests an API key of ${member.orgName}.</p>
<div class="note" role="note"><p><b>Approve only a request that you started yourself.</b> If another person sent you this code or link, select “This request is not mine”. The program could otherwise act in your name.</p></div>
${factList([
  ['Program', html`${login.client_name} <span class="quiet">name not verified</span>`],
  ['Code', html`<code>${code.toUpperCase()}</code>`],
  ['Requested', ago(login.created_at)],
  ['Requested from', html`<code>${login.network}</code>`],
  ['Mode', login.mode === 'live' ? 'live: messages are delivered' : 'test: messages are recorded and not delivered'],
])}
${missing.length > 0 && html`<p class="note">Your role cannot grant ${missing.map((scope, at) => html`${at > 0 && ', '}<code>${scope}</code>`)}. The key does not get these scopes.</p>`}
<form class="form long" method="post" action="/app/device">${tokenField(member)}<input type="hidden" name="code" value="${code}">
<div class="pair">${textField(filled, { name: 'name', label: 'Name of the key', required: true, otherwise: login.client_name })}
${selectField(filled, { name: 'expires_days', label: 'Expires after', options: days, otherwise: '90' })}</div>
${picker(filled, { name: 'scopes', label: 'Scopes', noun: 'scopes', hint: wanted.length > 0 ? 'The program requested the selected scopes. Clear the scopes that it does not need.' : 'Select only the scopes that the program needs.', groups: scopeGroups(member.role), otherwise: wanted })}
<div class="submit"><button class="primary" name="decision" value="approve">Approve request</button> <button class="grave" name="decision" value="deny" formnovalidate>This request is not mine</button></div></form>`
}
