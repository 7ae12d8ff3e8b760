import { z } from 'zod'
import * as publishers from '#sql/account/publishers.ts'
import { BrandColor, setBrandColor } from '#tasks/account/rules/organisation.ts'
import { formPage } from '../../http/dashboard/page.ts'
import { readableColors } from '../../http/html/brand-color.ts'
import { optionalField, textField, textOf } from '../../http/html/form.ts'
import { type Html, html } from '../../http/html/html.ts'
import { parentLink, renderFault, tokenField } from '../../http/html/parts.ts'

const settings = { title: 'Settings', path: '/app/settings', guide: 'dashboard' }

const swatch = (color: string): Html =>
  html`<svg class="swatch" viewBox="0 0 20 20" aria-hidden="true"><rect width="20" height="20" rx="4" fill="${color}"/></svg>`

export const colourOf = (color: string | null, mayChange: boolean): Html =>
  html`${color === null ? 'none' : html`${swatch(color)} <code>${color}</code>`}${mayChange && html` <a href="/app/settings/brand">Change<span class="unseen"> brand colour</span></a>`}`

export const { show, submit } = formPage({
  path: '/settings/brand',
  summary: 'Change the brand colour',
  section: settings,
  permission: 'settings',
  fields: z.object({ color: optionalField(BrandColor) }),
  async view({ db, member, filled, fault }) {
    const now = (await publishers.find(db, member.orgId))?.brand_color ?? ''
    const given = BrandColor.safeParse(textOf(filled, 'color', now))
    const main = html`${parentLink(settings.title, settings.path)}<h1>Brand colour</h1>${renderFault(fault)}
<p class="lead">Buttons and links of your public pages have this colour: videos, articles, subscriptions and consent. The pages also show the name of your organisation.</p>
<form class="form" method="post">${tokenField(member)}
${textField(filled, { name: 'color', label: 'Brand colour', otherwise: now, hint: 'Optional. For example, #0a6282.' })}
<button>Save brand colour</button></form>
${given.success && preview(given.data)}`
    return { title: 'Brand colour', main }
  },
  async submit({ db, doer, given }) {
    await db.transaction((tx) => setBrandColor(tx, doer, given.color ?? null))
    return {
      to: '/app/settings/brand',
      told: given.color ? `Brand colour saved: ${given.color}.` : 'Brand colour removed.',
    }
  },
})

/** Shows the colours of the pages. They differ from the brand colour if its contrast is too low for text. */
function preview(color: string): Html {
  const { light, dark } = readableColors(color)
  const button = (
    name: string,
    page: string,
    text: string,
    { color, on }: typeof light,
  ) => html`<figure class="brand-preview">
<svg viewBox="0 0 220 84" role="img" aria-label="Button and link on a ${name} page"><rect width="220" height="84" rx="8" fill="${page}"/><rect x="16" y="24" width="96" height="36" rx="8" fill="${color}"/><text x="64" y="47" text-anchor="middle" font-size="14" font-weight="600" fill="${on}">Button</text><text x="132" y="47" font-size="14" text-decoration="underline" fill="${color}">Link</text></svg>
<figcaption>${text} <code>${color}</code></figcaption></figure>`
  return html`<section><h2>Preview</h2><div class="brand-previews">${button('light', '#ffffff', 'Light pages:', light)}${button('dark', '#151d23', 'Dark pages:', dark)}</div>
<p class="quiet">If the contrast of your colour is too low for text, pages use a darker or lighter tone of it.</p></section>`
}
