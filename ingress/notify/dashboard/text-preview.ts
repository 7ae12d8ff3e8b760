import { maxSmsText } from '#tasks/notify/rules/accept-sms.ts'
import type { Facts } from '#tasks/notify/rules/conditions.ts'
import { formatMail, joinParagraphs } from '#tasks/notify/rules/mail-text.ts'
import { faultIn, fillPlaceholders } from '#tasks/notify/rules/text-placeholders.ts'
import { countSegments } from '#tasks/sms/rules/segments.ts'
import { type Html, html } from '../../http/html/html.ts'
import { exampleData } from './example-data.ts'

export interface TextContent {
  title: string
  body: string | null
  /** Short text for SMS. */
  sms?: string | null
}

const examplePerson = {
  name: 'Ann Example',
  email: 'ann@example.com',
  phone: '+3725550123',
  locale: 'en',
  time_zone: 'Europe/Vienna',
}

/** Values of the example person and event. `data` replaces example values. */
export function exampleFacts(
  type: string,
  { title, body }: TextContent,
  data: Readonly<Record<string, string>>,
): Facts {
  const examples: Record<string, string> = JSON.parse(exampleData([title, body]))
  const url = 'https://example.com/orders/1042'
  return {
    ...{ type, product_key: 'shop', title: 'Title of the event', body: 'Body of the event', url, count: '3' },
    ...{ items: '* First event\n* Second event\n* Third event', inbox: 'unseen' },
    data: { ...examples, ...data },
    person: { ...examplePerson, data: {} },
  }
}

const [maxTitle, maxBody] = [300, 10_000]

/** Fills the placeholders of a text as a workflow does. */
export function fillText({ title, body, sms = null }: TextContent, facts: Facts): Required<TextContent> {
  const filled = body === null ? null : fillPlaceholders('text', body, facts, maxBody)
  const short = sms === null ? '' : fillPlaceholders('text', sms, facts, maxSmsText).trim()
  return {
    title: fillPlaceholders('subject', title, facts, maxTitle).trim(),
    body: filled === '' ? null : filled,
    sms: short === '' ? null : short,
  }
}

const views = {
  app: 'In-app',
  desktop: 'Email, desktop',
  phone: 'Email, phone',
  text: 'Email, text',
  push: 'Push',
  whatsapp: 'WhatsApp',
  sms: 'SMS',
} as const

/** Renders how a text looks on each channel. The choice of a view works without JavaScript. */
export function renderPreview(type: string, content: TextContent, data: Readonly<Record<string, string>>): Html {
  return html`<section class="preview" aria-labelledby="preview-title"><h2 id="preview-title">Preview</h2>
<fieldset class="choices"><legend class="unseen">View</legend>${Object.entries(views).map(
    ([value, words], i) =>
      html`<label><input type="radio" name="preview-view" value="${value}"${i === 0 && html` checked`}> ${words}</label>`,
  )}</fieldset>
<fieldset class="choices"><legend class="unseen">Colours</legend><label><input type="radio" name="preview-scheme" value="light" checked> Light</label><label><input type="radio" name="preview-scheme" value="dark"> Dark</label></fieldset>
<div data-preview-result>${renderViews(type, content, data)}</div></section>`
}

function renderViews(type: string, content: TextContent, data: Readonly<Record<string, string>>): Html {
  const parts = [content.title, content.body ?? '', content.sms ?? '']
  const fault = parts.map(faultIn).find((one) => one !== undefined)
  if (fault !== undefined) return html`<p class="fault">A placeholder is invalid: ${fault}.</p>`
  const { title, body, sms } = fillText(content, exampleFacts(type, content, data))
  const shown = title === '' ? 'Title of the event' : title
  const { subject, text } = formatMail([{ title: shown, body, url: null }])
  const mail = (view: 'desktop' | 'phone') =>
    html`<div class="mail-frame is-${view}" data-view="${view}"><p class="mail-subject">${subject}</p><p class="quiet">notifications@your-domain to ${examplePerson.email}</p><div class="mail-text">${text}</div></div>`
  return html`<div class="preview-views">
<div class="app-card" data-view="app"><p class="app-title">${shown}</p>${body !== null && html`<p class="app-body">${body}</p>`}<p class="quiet">just now</p></div>
${mail('desktop')}${mail('phone')}
<pre class="mail-source" data-view="text" tabindex="0">Subject: ${subject}

${text}</pre>
<div class="push-card" data-view="push"><p class="quiet">Your app · now</p><p class="app-title">${shown}</p>${body !== null && html`<p class="app-body">${[...body].slice(0, 500).join('')}</p>`}</div>
<div class="chat-bubble" data-view="whatsapp">${joinParagraphs(shown, body)}</div>
${renderSms(sms ?? joinParagraphs(shown, body))}</div>`
}

function renderSms(text: string): Html {
  const shown = [...text].slice(0, maxSmsText).join('')
  const { segments } = countSegments(shown)
  return html`<div data-view="sms"><div class="chat-bubble">${shown}</div><p class="quiet">${[...shown].length} characters, ${segments} ${segments === 1 ? 'segment' : 'segments'}</p></div>`
}
