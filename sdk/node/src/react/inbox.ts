'use client'

import type { NotifyItem } from '../generated/types.ts'
import { type ElementDeclaration, flag, text } from './declaration.ts'
import { createWrapper, type WrapperProps } from './wrapper.ts'

/** The element `<mill-inbox>`. */
export interface MillInboxElement extends HTMLElement {
  readonly unread: number
  open(): void
  close(): void
}

export interface MillInboxEvents {
  /** The user opens an item. To navigate yourself, call `preventDefault()` of the event. */
  open: NotifyItem
  item: NotifyItem
  count: { unread: number; unseen: number }
  expire: undefined
}

export interface Props {
  /** URL of your server that answers a POST with `{"url": …}`, the `url` of a stream token. */
  tokenUrl?: string
  /** The `url` of a stream token. */
  src?: string
  /** True shows the list without a bell. */
  inline?: boolean
  theme?: 'light' | 'dark' | 'auto'
  lang?: string
}

export type MillInboxProps = WrapperProps<Props, MillInboxEvents>

export const inbox: ElementDeclaration<MillInboxElement, Props, MillInboxEvents> = {
  tag: 'mill-inbox',
  component: 'MillInbox',
  script: '/v1/notify/element.js',
  attributes: {
    tokenUrl: text('token-url'),
    src: text('src'),
    inline: flag('inline'),
    theme: text('theme'),
    lang: text('lang'),
  },
  events: { open: 'open', item: 'item', count: 'count', expire: 'expire' },
}

/** Shows the notifications of a person with `<mill-inbox>`. */
export const MillInbox = createWrapper(inbox)
