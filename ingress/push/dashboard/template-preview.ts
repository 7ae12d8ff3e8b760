import type { Content } from '#sql/push/messages.ts'
import { findOversizes } from '#tasks/push/rules/payload/payload.ts'
import { action } from '../../http/dashboard/page.ts'
import type { FormValues } from '../../http/html/form.ts'
import { count } from '../../http/html/format.ts'
import { type Html, html } from '../../http/html/html.ts'
import { parentLink } from '../../http/html/parts.ts'
import { listVariables, renderTemplate } from '../messages/render.ts'
import { section } from './apps.ts'
import { previewMessage, renderPayloads } from './preview.ts'
import { readLanguages, readPairs, templateFields } from './template-form.ts'

export const previewPath = `${section.path}/templates/preview`

/** Renders the template in a form with its example values. The language is the one that the member edits. */
export function renderPreview(given: FormValues): Html {
  const languages = readLanguages(given)
  const wanted = String(given.shown ?? '')
  const shown =
    languages.find(({ i }) => wanted !== '' && i === Number(wanted)) ??
    languages.find(({ locale }) => locale === given.default_locale) ??
    languages[0]
  if (!shown) return html`<p class="quiet">The preview appears when the template has a title or a text.</p>`
  const locales = Object.fromEntries(languages.map(({ locale, text }) => [locale, text]))
  const examples = readPairs(String(given.examples ?? ''))
  const variables = listVariables(locales)
  const values = Object.fromEntries(variables.map((name) => [name, examples[name] || `[${name}]`]))
  const { texts } = renderTemplate({ locales }, values)
  const content: Content = { texts, default_locale: shown.locale }
  const missing = variables.filter((name) => !examples[name])
  return html`<p class="quiet">Language: ${shown.locale || 'not named yet'}</p>
${previewMessage(content, [], { locale: shown.locale })}
${variables.length > 0 && html`<p class="quiet">Variables: ${variables.join(', ')}.${missing.length > 0 && ` Without an example value: ${missing.join(', ')}.`}</p>`}
${findOversizes(content).map(
  ({ provider, bytes, limit }) =>
    html`<p class="fault">The payload for ${provider} has ${count(bytes)} bytes. The limit is ${count(limit)}.</p>`,
)}
${renderPayloads(content, shown.locale)}`
}

export const previewPane = (given: FormValues): Html =>
  html`<section class="preview-pane" aria-labelledby="preview-title"><h2 id="preview-title">Preview</h2><div data-preview-result>${renderPreview(given)}</div></section>`

/** Renders a form’s preview. The page’s JavaScript requests it while the member types. */
export const preview = action({
  path: '/push/templates/preview',
  summary: 'Preview a push template',
  permission: 'areas:write',
  fields: templateFields,
  back: () => `${section.path}/templates`,
  async perform({ given }) {
    const main = html`${parentLink('Templates', `${section.path}/templates`)}<h1>Preview</h1>${previewPane(given)}`
    return { view: { title: 'Preview', main } }
  },
})
