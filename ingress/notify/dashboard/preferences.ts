import { z } from 'zod'
import { UserId } from '#lib/user-id.ts'
import { anyType, Channel } from '#sql/notify/preferences.ts'
import { action, formPage } from '../../http/dashboard/page.ts'
import { checkBoxes, optionalField, repeatedField, textField } from '../../http/html/form.ts'
import { html } from '../../http/html/html.ts'
import { parentLink, renderFault, tokenField } from '../../http/html/parts.ts'
import * as operations from '../preferences.ts'
import { personPath, section } from './section.ts'
import { kindTitles } from './step-icons.ts'

const params = z.object({ user_id: UserId })

export const { show: askForPreference, submit: put } = formPage({
  path: '/notify/person/{user_id}/preferences',
  summary: 'Set a preference of a person',
  section,
  permission: 'areas:write',
  params,
  fields: z.object({
    product_key: z.string(),
    type: optionalField(z.string()),
    channels: repeatedField(z.string()),
    digest: optionalField(z.string()),
  }),
  async view({ member, filled, fault, params: { user_id } }) {
    const main = html`${parentLink(user_id, personPath(user_id))}<h1>Set a preference</h1>${renderFault(fault)}
<form class="form" method="post">${tokenField(member)}
${textField(filled, { name: 'product_key', label: 'Product', required: true, hint: 'For example, shop.' })}
${textField(filled, { name: 'type', label: 'Event type', hint: 'Optional. Leave blank for all types of the product.' })}
${checkBoxes(filled, { name: 'channels', label: 'Channels', options: Channel.options.map((channel) => [channel, kindTitles[channel]] as const), otherwise: ['in_app'], hint: 'Without any channel, the person receives nothing.' })}
${textField(filled, { name: 'digest', label: 'Digest window in minutes', type: 'number', hint: 'Optional. Emails of this time are sent as one email. For example, 30.' })}
<p class="actions"><button>Save</button> <a class="button plain" href="${personPath(user_id)}">Cancel</a></p></form>`
    return { title: 'Set a preference', main }
  },
  async submit({ ask, given, params: { user_id } }) {
    const { product_key, type = anyType, channels, digest } = given
    const window = digest !== undefined && { digest: { window_minutes: Number(digest) } }
    await ask(operations.put, { body: { user_id, product_key, type, channels, ...window } }, z.object({}))
    return { to: personPath(user_id), told: 'Preference saved.' }
  },
})

export const remove = action({
  path: '/notify/person/{user_id}/preferences/remove',
  summary: 'Remove a preference of a person',
  permission: 'areas:write',
  params,
  fields: z.object({ product_key: z.string(), type: z.string() }),
  back: ({ user_id }) => personPath(user_id),
  async perform({ ask, given, params: { user_id } }) {
    await ask(operations.remove, { query: { user_id, ...given } }, z.object({}))
    return { to: personPath(user_id), told: 'Preference removed.' }
  },
})
