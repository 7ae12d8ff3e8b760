import { z } from 'zod'
import * as apps from '#sql/push/apps.ts'
import * as deliveries from '#sql/push/deliveries.ts'
import type { Provider } from '#sql/push/installations.ts'
import * as messages from '#sql/push/messages.ts'
import { recordContentsRead } from '#tasks/account/rules/contents-read.ts'
import { describeTarget } from '#tasks/push/rules/target-of.ts'
import { page } from '../../http/dashboard/page.ts'
import { type Html, html } from '../../http/html/html.ts'
import { actionButton, parentLink } from '../../http/html/parts.ts'
import { mustFind } from '../../http/must-find.ts'
import { pathId } from '../../http/request/validate.ts'
import { section } from './apps.ts'
import { previewMessage, renderPayloads } from './preview.ts'

/** Maximum numbers of deliveries whose providers are shown, and of languages in addition to the default language. */
const [most, mostLanguages] = [100, 20]

export const read = page({
  path: '/push/messages/{message_id}',
  summary: 'Show a message and its deliveries',
  section,
  permission: 'log:read',
  params: z.object({ message_id: pathId('message') }),
  async view({ db, member, may, doer, region, params }) {
    const found = await mustFind(messages.find(db, member.orgId, params.message_id), 'message')
    const app = await apps.find(db, member.orgId, found.app_id)
    const contents = may('contents:read')
    if (contents) await recordContentsRead(db, doer, { kind: 'push_message', id: found.id })
    const shown = contents ? await deliveries.listForMessage(db, found.id, { before: undefined, limit: most }) : []
    const providers = [...new Set(shown.map(({ provider }) => provider))]
    const stop =
      may('areas:write') &&
      canStop(found) &&
      actionButton(member, `/app/push/messages/${found.id}/cancel`, 'Cancel', { grave: true })
    const title = `Message to ${describeTarget(found)}`
    const main = html`${parentLink(app?.name ?? 'App', `${section.path}/${found.app_id}`)}<div class="title"><h1>${title}</h1>${stop && html`<span data-while-open>${stop}</span>`}</div>
${await region(`push-message/${found.id}`)}
${contents && contentsOf(found.content, providers)}`
    return { title, main }
  },
})

/** Renders what devices show and what providers receive. A template’s message has both for each language. */
function contentsOf(content: messages.Content, providers: readonly Provider[]): Html {
  const others = Object.keys(content.texts ?? {}).filter((locale) => locale !== content.default_locale)
  return html`<section><h2>Preview</h2>${previewMessage(content, providers)}
${others.slice(0, mostLanguages).map((locale) => html`<details><summary>Language ${locale}</summary>${previewMessage(content, providers, { locale })}</details>`)}</section>
<section><h2>Payload</h2><p class="lead">The JSON that each provider receives. Millrace adds the IDs and the receipt token for each device.</p>${renderPayloads(content, null, providers)}
${others.slice(0, mostLanguages).map((locale) => html`<details><summary>Language ${locale}</summary>${renderPayloads(content, locale, providers)}</details>`)}</section>`
}

/** True if a message can be cancelled. It must be scheduled, or be for many recipients and not have ended. */
const canStop = ({ status, target, ended_at }: messages.Message): boolean =>
  status === 'scheduled' || (target !== 'user' && ended_at === null)
