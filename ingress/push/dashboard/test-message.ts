import { z } from 'zod'
import { badRequest, conflict } from '#lib/errors.ts'
import type { Db } from '#sql/db.ts'
import * as views from '#sql/push/installation-views.ts'
import type { InstallationView } from '#sql/push/installations.ts'
import type { Content } from '#sql/push/messages.ts'
import * as templates from '#sql/push/templates.ts'
import { findReachedBudget } from '#tasks/account/rules/budget-reached.ts'
import { sendToDevice } from '#tasks/push/rules/send-to-device.ts'
import { formPage } from '../../http/dashboard/page.ts'
import { linesField, optionalField, selectField, textField } from '../../http/html/form.ts'
import { html } from '../../http/html/html.ts'
import { parentLink, renderFault, tokenField } from '../../http/html/parts.ts'
import { mustFind } from '../../http/must-find.ts'
import { pathId } from '../../http/request/validate.ts'
import { getSizeProblem } from '../messages/accept.ts'
import { renderTemplate } from '../messages/render.ts'
import { section } from './apps.ts'
import { readPairs } from './template-form.ts'

const params = z.object({ installation_id: pathId('installation') })

/** Time to live of a test message in seconds, and maximum number of templates to choose from. */
const [ttl, mostTemplates] = [3_600, 100]

const fields = z.object({
  title: z.string().trim().max(200),
  body: z.string().max(1_000),
  template: optionalField(z.uuid()),
  variables: z.string().default(''),
})

export const { show: askForTest, submit: send } = formPage({
  path: '/push/installations/{installation_id}/test',
  summary: 'Send a test message to a device',
  section,
  permission: 'areas:write',
  params,
  fields,
  async view({ db, member, params, filled, fault }) {
    const device = await ownDevice(db, member.orgId, params.installation_id)
    const known = await templates.list(db, member.orgId, { before: undefined, limit: mostTemplates })
    const options = [
      ['', 'None: the title and text above'] as const,
      ...known.map(({ id, name }) => [id, name] as const),
    ]
    const main = html`${parentLink('Devices', `/app/push/${device.app_id}/installations`)}<h1>Send a test</h1>${renderFault(fault)}
<p class="lead">Sends one push message to this device of ${device.user_id ?? 'an anonymous user'}, by ${device.provider}${device.platform && `, ${device.platform}`}. The message counts toward usage.</p>
<form class="form" method="post">${tokenField(member)}
${textField(filled, { name: 'title', label: 'Title', otherwise: 'Test' })}
${textField(filled, { name: 'body', label: 'Text', otherwise: 'Push messages work on this device.' })}
${known.length > 0 && selectField(filled, { name: 'template', label: 'Template', options })}
${known.length > 0 && linesField(filled, { name: 'variables', label: 'Values of the template', few: true, hint: 'Only for a template. One name=value per line.' })}
<button>Send</button></form>`
    return { title: 'Send a test', main }
  },
  async submit({ db, member, doer, params, given }) {
    const content = await contentOf(db, member.orgId, given)
    const refusal = getSizeProblem(content)
    if (refusal) throw refusal
    const id = await db.transaction(async (tx) => {
      const device = await ownDevice(tx, member.orgId, params.installation_id)
      if (device.status !== 'active')
        throw conflict('The device was invalidated. It receives no messages until it registers again.')
      const { orgId, requestId } = doer
      const { app_id, user_id } = device
      const toOne = { target: 'user', priority: 10 } as const
      const message = { org_id: orgId, app_id, user_id, ...toOne, content }
      const sent = await sendToDevice(tx, { message, requestId, ttl }, device)
      if (sent === null) throw await findReachedBudget(tx, orgId, 'push.messages')
      return sent
    })
    return { to: `/app/push/messages/${id}`, told: 'Test message sent.' }
  },
})

async function contentOf(
  db: Db,
  orgId: string,
  { title, body, template, variables }: z.output<typeof fields>,
): Promise<Content> {
  if (template === undefined) {
    if (title === '') throw badRequest([{ field: 'form.title', issue: 'is required' }])
    return { title, ...(body !== '' && { body }) }
  }
  const found = await mustFind(templates.find(db, orgId, template), 'template')
  const { texts, faults } = renderTemplate(found, readPairs(variables))
  if (faults.length > 0) {
    const names = faults.map(({ field }) => field.replace('body.variables.', '')).join(', ')
    throw badRequest([{ field: 'form.variables', issue: `must have a value for ${names}` }])
  }
  return { texts, default_locale: found.default_locale, template: { id: found.id, version: found.version } }
}

const ownDevice = async (db: Db, orgId: string, id: string): Promise<InstallationView> =>
  await mustFind(views.find(db, orgId, id), 'installation')
