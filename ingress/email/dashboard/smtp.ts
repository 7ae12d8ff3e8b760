import { getIdTime } from '#lib/ids.ts'
import { listOfClient, type Request } from '#sql/account/usage/requests.ts'
import * as domains from '#sql/email/domains.ts'
import { submissionHost, submissionPorts } from '#tasks/email/rules/submission-host.ts'
import type { DashboardSection } from '../../http/dashboard/contents.ts'
import { page } from '../../http/dashboard/page.ts'
import { copyableCode } from '../../http/html/copyable-code.ts'
import { dataTable } from '../../http/html/data-table.ts'
import { ago } from '../../http/html/format.ts'
import { type Content, type Html, html } from '../../http/html/html.ts'
import { copyable, emptyState, linkButton } from '../../http/html/parts.ts'
import { smtpClient } from '../submission/client-name.ts'
import { listExamples, type SmtpServer } from './smtp-examples.ts'

export const section = {
  title: 'SMTP',
  path: '/app/smtp',
  group: 'Email',
  guide: 'email',
  permission: 'log:read',
} as const satisfies DashboardSection

const mostShown = 20

export const overview = page({
  path: '/smtp',
  summary: 'Show how to send by SMTP',
  section,
  permission: 'log:read',
  async view({ db, member, may }) {
    const { starttls, tls } = submissionPorts()
    if (starttls === undefined && tls === undefined) {
      const main = html`<h1>SMTP</h1>
${emptyState('Email by SMTP is off on this installation.', 'The operator can open its ports. Until then, send with the API.', may('areas:write') && linkButton('/app/mail/new', 'Send an email'))}`
      return { title: 'SMTP', main }
    }
    const [verified, recent] = await Promise.all([
      domains.oldestVerified(db, member.orgId, undefined),
      listOfClient(db, member.orgId, smtpClient, mostShown),
    ])
    const server = { host: submissionHost(), starttls, tls, from: `orders@${verified?.domain ?? 'example.com'}` }
    const main = html`<h1>SMTP</h1>
<p class="lead">Programs that send email by SMTP can use Millrace without the API.</p>
<dl class="facts">${factsOf(server).map(([name, value]) => html`<div><dt>${name}</dt><dd>${value}</dd></div>`)}</dl>
${may('keys:read') && html`<p class="actions"><a class="button" href="/app/keys">API keys</a></p>`}
<section><h2>Examples</h2>${listExamples(server).map(
      ({ title, language, code }, at) =>
        html`<details class="api-call"${at === 0 && html` open`}><summary>${title}</summary>${copyableCode(code, language, `the example for ${title}`)}</details>`,
    )}</section>
<section><h2>Recent sign-ins and messages</h2>${recent.length === 0 ? emptyState('No sign-ins by SMTP yet.', 'Sign-ins, messages and rejections of your API keys appear here.') : recentTable(recent)}</section>`
    return { title: 'SMTP', main }
  },
})

function factsOf({ host, starttls, tls }: SmtpServer): [string, Content][] {
  return [
    ['Server', copyable(host, 'the server name')],
    ...(starttls === undefined ? [] : [['Port with STARTTLS', String(starttls)] as [string, Content]]),
    ...(tls === undefined ? [] : [['Port with TLS', String(tls)] as [string, Content]]),
    ['User name', 'Any text'],
    ['Password', html`An API key with the scope <code>email:send</code>`],
  ]
}

const recentTable = (recent: readonly Request[]): Html =>
  dataTable('Recent sign-ins and messages by SMTP', recent, {
    Event: (one) => html`<a href="/app/requests/${one.id}">${eventOf(one)}</a>`,
    Message: ({ resource_id }) => resource_id && html`<a href="/app/mail/${resource_id}">Open message</a>`,
    Reason: ['break', reasonOf],
    Network: ({ network }) => network,
    Time: ({ id }) => ago(new Date(getIdTime(id))),
  })

function eventOf({ operation, status }: Request): string {
  const isSignIn = operation.startsWith('email.messages.list')
  if (status < 400) return isSignIn ? 'Signed in' : 'Message accepted'
  return isSignIn ? 'Sign-in failed' : 'Message rejected'
}

/** Returns the message of an error, or its fields with their issues. */
function reasonOf({ code, error }: Request): string | null {
  if (error?.message) return error.message
  const fields = (error?.fields ?? []).map((field, i) => [field, error?.issues?.[i]].filter(Boolean).join(': '))
  return fields.join('; ') || code
}
