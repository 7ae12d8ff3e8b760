'use client'

import { type ElementDeclaration, text } from './declaration.ts'
import { createWrapper, type WrapperProps } from './wrapper.ts'

/** The element `<mill-webhooks>`. */
export interface MillWebhooksElement extends HTMLElement {
  words: Readonly<Record<string, string>>
}

export interface MillWebhooksEvents {
  /** The portal is loaded. The detail contains the app. */
  load: Record<string, unknown>
  /** Your customer changed something. For example, `kind` is `endpoint.created`. */
  change: { kind: string; id: string }
  expire: object
}

export interface Props {
  /** URL of your server that answers a POST with `{"token": …}`. */
  tokenUrl?: string
  /** Portal token. */
  token?: string
  theme?: 'light' | 'dark' | 'auto'
  lang?: string
  /** Your own texts by name. */
  words?: Readonly<Record<string, string>>
}

export type MillWebhooksProps = WrapperProps<Props, MillWebhooksEvents>

export const webhooks: ElementDeclaration<MillWebhooksElement, Props, MillWebhooksEvents> = {
  tag: 'mill-webhooks',
  component: 'MillWebhooks',
  script: '/v1/hooks/portal-element.js',
  attributes: {
    tokenUrl: text('token-url'),
    token: text('token'),
    theme: text('theme'),
    lang: text('lang'),
    words: 'property',
  },
  events: { load: 'mill-load', change: 'mill-change', expire: 'mill-expire' },
  properties: {
    names: ['words'],
    set(element, { words = {} }) {
      element.words = words
    },
  },
}

/** Shows the webhooks of your customer with `<mill-webhooks>`. */
export const MillWebhooks = createWrapper(webhooks)
