import { Channel } from '#sql/notify/preferences.ts'
import type { Step } from '#sql/notify/workflow-steps.ts'
import { type Html, html } from '../../http/html/html.ts'

/** Kinds of steps on the pages: each channel is a kind. */
export const stepKinds = [...Channel.options, 'wait', 'digest'] as const

export type StepKind = (typeof stepKinds)[number]

export const kindOf = (step: Step): StepKind => (step.type === 'channel' ? step.channel : step.type)

export const kindTitles: Readonly<Record<StepKind, string>> = {
  in_app: 'In-app inbox',
  email: 'Email',
  push: 'Push',
  whatsapp: 'WhatsApp',
  sms: 'SMS',
  slack: 'Slack',
  teams: 'Microsoft Teams',
  discord: 'Discord',
  url: 'URL',
  wait: 'Wait',
  digest: 'Digest',
}

export const kindHints: Readonly<Record<StepKind, string>> = {
  in_app: 'Puts an item into the inbox of the person.',
  email: 'Sends an email.',
  push: 'Sends a push message to all devices.',
  whatsapp: 'Sends a WhatsApp message.',
  sms: 'Sends a text message.',
  slack: 'Posts to a Slack channel.',
  teams: 'Posts to a channel of Microsoft Teams.',
  discord: 'Posts to a Discord channel.',
  url: 'Sends a signed request to a URL.',
  wait: 'Waits, or waits until the item has been unread for a time.',
  digest: 'Collects events, which continue as one.',
}

const shapes: Readonly<Record<StepKind | 'event', Html>> = {
  event: html`<path d="M13 3 5 14h6l-1 7 8-11h-6z"/>`,
  in_app: html`<path d="M18 9a6 6 0 1 0-12 0c0 6-2 7-2 7h16s-2-1-2-7M10 20a2 2 0 0 0 4 0"/>`,
  email: html`<path d="M3 6h18v12H3zM3 7l9 7 9-7"/>`,
  push: html`<path d="M7 2h10v20H7zM11 19h2"/>`,
  whatsapp: html`<path d="M4 20l1.300-4A8 8 0 1 1 8.500 18.800zM9 9c0 3 3 6 6 6"/>`,
  sms: html`<path d="M4 4h16v12H9l-5 4zM8 9h8M8 12h5"/>`,
  slack: html`<path d="M9 3v18M15 3v18M3 9h18M3 15h18"/>`,
  teams: html`<path d="M3 6h11v12H3zM6 9h5M8.500 9v6M17 11a2 2 0 1 0 0-4M16 13h5v3a3 3 0 0 1-4 3"/>`,
  discord: html`<path d="M5 6c4-2 10-2 14 0 2 4 2 8 2 11l-4 2-2-3H9l-2 3-4-2c0-3 0-7 2-11M9 12h.01M15 12h.01"/>`,
  url: html`<path d="M10 14a4 4 0 0 0 6 0l3-3a4 4 0 0 0-6-6l-1 1M14 10a4 4 0 0 0-6 0l-3 3a4 4 0 0 0 6 6l1-1"/>`,
  wait: html`<path d="M12 3a9 9 0 1 0 0 18 9 9 0 0 0 0-18M12 7v5l3 2"/>`,
  digest: html`<path d="M12 3 3 8l9 5 9-5zM3 12l9 5 9-5M3 16l9 5 9-5"/>`,
}

export const stepIcon = (kind: StepKind | 'event'): Html =>
  html`<span class="flow-icon is-${kind}"><svg viewBox="0 0 24 24" aria-hidden="true">${shapes[kind]}</svg></span>`
