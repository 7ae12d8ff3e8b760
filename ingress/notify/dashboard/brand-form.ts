import { z } from 'zod'
import type { Brand } from '#sql/notify/brands.ts'
import { type MailView, mailViews } from '../../http/dashboard/mail-frame.ts'
import type { Member } from '../../http/dashboard/session.ts'
import { type FormState, linesField, optionalField, textField, textOf } from '../../http/html/form.ts'
import { type Html, html } from '../../http/html/html.ts'
import { tokenField } from '../../http/html/parts.ts'
import { type NamedTemplate, templateField } from './template-field.ts'

const text = optionalField(z.string().max(4_000))

export const brandFields = z.object({
  product_key: z.string().max(400).default(''),
  name: z.string().max(400).default(''),
  logo_url: text,
  color: text,
  footer: text,
  layout_id: text,
  view: z.string().max(20).default('desktop'),
})

export type GivenBrand = z.output<typeof brandFields>

/** Returns the brand of a form as the API takes it. Browsers send line breaks as CR LF. */
export const toBrand = ({ view: _, footer, ...brand }: GivenBrand) => ({
  ...brand,
  ...(footer !== undefined && { footer: footer.replaceAll('\r\n', '\n').trim() }),
})

export const toView = (view: string): MailView => mailViews.find((one) => one === view) ?? 'desktop'

const views: Readonly<Record<MailView, string>> = { desktop: 'Desktop', phone: 'Phone', dark: 'Dark', text: 'Text' }

/** The form of a brand next to its preview. */
export function brandForm(
  member: Member,
  filled: FormState,
  { now, layouts, words }: { now?: Brand; layouts: readonly NamedTemplate[]; words: string },
): Html {
  const view = toView(textOf(filled, 'view', 'desktop'))
  return html`<form class="form editor" method="post" data-editor="/app/notify/brands/preview">${tokenField(member)}
<div class="editor-fields">
${
  now
    ? html`<input type="hidden" name="product_key" value="${now.product_key}">`
    : textField(filled, {
        name: 'product_key',
        label: 'Product',
        required: true,
        hint: 'Product key of your events, such as shop.',
      })
}
${textField(filled, { name: 'name', label: 'Name', required: true, otherwise: now?.name ?? '', hint: 'Name that recipients see.' })}
${textField(filled, { name: 'logo_url', label: 'Logo URL', type: 'url', otherwise: now?.logo_url ?? '', hint: 'Optional. For example, https://example.com/logo.png. Shown 40 pixels high.' })}
${textField(filled, { name: 'color', label: 'Colour', otherwise: now?.color ?? '', hint: 'Optional. Colour of buttons and lines, such as #1a56db.' })}
${linesField(filled, { name: 'footer', label: 'Footer', few: true, prose: true, otherwise: now?.footer ?? '', hint: 'Optional. For example, your postal address.' })}
${templateField(filled, layouts, 'Optional. Layout with the block content.', { name: 'layout_id', label: 'Layout', otherwise: now?.layout_id ?? '' })}
<p class="actions"><button>${words}</button> <a class="button plain" href="/app/notify/brands">Cancel</a></p>
</div>
<section class="editor-preview" aria-labelledby="preview-title"><h2 id="preview-title">Preview</h2>
<fieldset class="views"><legend class="unseen">View</legend>${mailViews.map(
    (one) =>
      html`<label><input type="radio" name="view" value="${one}"${one === view && html` checked`}> <span>${views[one]}</span></label>`,
  )}</fieldset>
<div class="mail-stage"><iframe class="letter" name="preview" title="Email preview" sandbox="allow-popups allow-popups-to-escape-sandbox"></iframe></div>
<p class="actions"><button class="plain" formaction="/app/notify/brands/preview" formtarget="preview" formnovalidate data-scriptless>Update preview</button></p>
</section></form>`
}
