import type * as credentials from '#sql/push/credentials.ts'
import type { Member } from '../../http/dashboard/session.ts'
import { dataTable } from '../../http/html/data-table.ts'
import { ago, counted } from '../../http/html/format.ts'
import { type Html, html, quiet } from '../../http/html/html.ts'
import { statusBadge } from '../../http/html/marks.ts'
import { actionButton } from '../../http/html/parts.ts'
import { providerNames } from './providers.ts'

type Facts = credentials.CredentialFacts

/** Renders the credentials of an app: public values and state. The secrets stay sealed. */
export const renderCredentials = (found: readonly Facts[], actionsOf?: (one: Facts) => Html): Html =>
  dataTable('Provider credentials', found, {
    Provider: [
      '',
      (one) =>
        html`${providerNames[one.provider]}${one.environment === 'sandbox' && html` <span class="quiet">sandbox</span>`}`,
    ],
    'Public values': ['wide break', (one) => factsOf(one)],
    Secret: (one) => (one.provider === 'webpush' ? quiet('created by Millrace') : quiet('•••••••• stored encrypted')),
    State: ['break', (one) => stateOf(one)],
    Updated: (one) => ago(one.created_at),
    Actions: actionsOf && ['actions', actionsOf],
  })

const shownFacts: Readonly<Record<string, string>> = {
  key_id: 'Key ID',
  team_id: 'Team ID',
  topic: 'Topic',
  project_id: 'Project',
  client_email: 'Service account',
  subject: 'Subject',
}

const factsOf = ({ facts }: Facts): Html[] =>
  Object.entries(shownFacts).flatMap(([name, words]) =>
    facts[name] === undefined ? [] : [html`<p><span class="quiet">${words}</span> ${facts[name]}</p>`],
  )

function stateOf({ open_until, open_reason, failures, check_state, check_reason, checked_at }: Facts): Html {
  if (open_until !== null) {
    return html`${statusBadge('rejected')} ${open_reason}, ${counted(failures, 'time')}; next attempt ${ago(open_until)}`
  }
  const when = checked_at && html` <span class="quiet">checked ${ago(checked_at)}</span>`
  if (check_state === 'failed') return html`${statusBadge('failed', { shown: 'check failed' })} ${check_reason}${when}`
  if (check_state === 'unreachable')
    return html`${statusBadge('unreachable', { shown: 'no response' })} <span class="quiet">${withoutErrorName(check_reason ?? '')}</span>${when}`
  if (check_state === 'ok') return html`${statusBadge('accepted')}${when}`
  return statusBadge('not_checked')
}

/** Removes the name of the error in front of a reason, which is only for operators. */
export const withoutErrorName = (reason: string): string => reason.replace(/^[A-Za-z]{0,40}Error: (unchecked: )?/, '')

/** Returns the buttons for a credential: check it, retry a rejected one, and delete it. */
export const credentialActions =
  (member: Member, appId: string) =>
  ({ provider, environment, open_until }: Facts): Html => {
    const path = `/app/push/${appId}/credentials/${provider}`
    const given = { of: `${providerNames[provider]} ${environment}`, fields: { environment } }
    if (provider === 'webpush') return html``
    return html`<div class="actions">${actionButton(member, `${path}/check`, 'Check', given)}
${open_until !== null && actionButton(member, `${path}/retry`, 'Retry now', given)}
${actionButton(member, `${path}/remove`, 'Delete', { ...given, grave: true })}</div>`
  }
