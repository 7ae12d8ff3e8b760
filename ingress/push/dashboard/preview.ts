import { z } from 'zod'
import type { Provider } from '#sql/push/installations.ts'
import type { Content } from '#sql/push/messages.ts'
import { createPayload, payloadLimits } from '#tasks/push/rules/payload/payload.ts'
import { count } from '../../http/html/format.ts'
import { type Html, html } from '../../http/html/html.ts'
import { providerNames } from './providers.ts'

type Payload = Record<string, unknown>

type Pushed = keyof typeof payloadLimits

const pushed = ['fcm', 'apns', 'webpush'] as const satisfies readonly Pushed[]

/** Marks of a delivery. The receipt token is different for each device and stays secret. */
const marks = { message_id: '(message)', delivery_id: '(delivery)', receipt: '(receipt token)' }

const text = z.string().optional().catch(undefined)
const Action = z.object({ title: z.string() })
const Shown = z.object({ title: text, body: text, image: text, actions: z.array(Action).catch([]).default([]) })
type Shown = z.infer<typeof Shown>

const objectIn = (value: unknown): Payload => (typeof value === 'object' && value !== null ? (value as Payload) : {})

/** Reads what a device shows from the payload that its provider receives. */
const readers: Readonly<Record<Pushed, (payload: Payload) => unknown>> = {
  fcm: ({ notification, data }) => ({ ...objectIn(notification), actions: parsed(objectIn(data).push_actions) }),
  apns: ({ aps, image, actions }) => ({ ...objectIn(objectIn(aps).alert), image, actions }),
  webpush: (payload) => payload,
}

function parsed(json: unknown): unknown {
  try {
    return JSON.parse(String(json))
  } catch {
    return []
  }
}

const devices: Readonly<Record<Pushed, { name: string; style: string }>> = {
  fcm: { name: 'Android', style: 'android' },
  apns: { name: 'iPhone', style: 'ios' },
  webpush: { name: 'Browser on a computer', style: 'browser' },
}

/** Renders a message as devices show it, in light and in dark. Without providers, the result has all devices. */
export function previewMessage(
  content: Content,
  providers: readonly Provider[] = [],
  { locale = null, app = 'Your app' }: { locale?: string | null; app?: string } = {},
): Html {
  const wanted = pushed.filter((one) => providers.length === 0 || providers.includes(one) || isBrowser(one, providers))
  const cards = wanted.map((provider) => {
    const shown = Shown.parse(readers[provider](payloadOf(provider, content, locale)))
    return ['light', 'dark'].map((theme) => card(provider, shown, theme, app))
  })
  return html`<div class="device-cards">${cards}</div>`
}

/** A stream delivers to open web pages, which show messages as browsers do. */
const isBrowser = (provider: Pushed, providers: readonly Provider[]): boolean =>
  provider === 'webpush' && providers.includes('sse')

const payloadOf = (provider: Pushed, content: Content, locale: string | null): Payload =>
  createPayload(provider, content, locale, marks)

function card(provider: Pushed, { title, body, image, actions }: Shown, theme: string, app: string): Html {
  const { name, style } = devices[provider]
  const isSilent = title === undefined && body === undefined
  const shown = isSilent
    ? html`<p class="device-body">No notification: the app receives the data in the background.</p>`
    : html`${title !== undefined && html`<p class="device-title">${title}</p>`}${body !== undefined && html`<p class="device-body">${body}</p>`}
${image !== undefined && html`<p class="device-image">Image: ${hostOf(image)}</p>`}
${actions.length > 0 && html`<p class="device-actions">${actions.map((one) => html`<span>${one.title}</span>`)}</p>`}`
  return html`<figure class="device-card ${style} is-${theme}"><figcaption>${name}, ${theme}</figcaption>
<div class="device-note"><p class="device-app"><span class="device-icon" aria-hidden="true"></span>${app} <span>now</span></p>
${shown}</div></figure>`
}

const hostOf = (url: string): string => URL.parse(url)?.host ?? url

/** Renders the payload for each provider with its size. Without providers, the result has all payloads. */
export function renderPayloads(content: Content, locale: string | null, providers: readonly Provider[] = []): Html {
  const wanted = pushed.filter((one) => providers.length === 0 || providers.includes(one) || isBrowser(one, providers))
  return html`${wanted.map((provider) => {
    const payload = payloadOf(provider, content, locale)
    const bytes = Buffer.byteLength(JSON.stringify(payload))
    return html`<details class="payload"><summary>${providerNames[provider]} <span class="quiet">about ${count(bytes)} of ${count(payloadLimits[provider])} bytes</span></summary>
<pre tabindex="0">${JSON.stringify(payload, null, 2)}</pre></details>`
  })}`
}
