'use client'

import type { LiveChatMessage, LiveViewerClip } from '../generated/types.ts'
import { type ElementDeclaration, text } from './declaration.ts'
import { createWrapper, type WrapperProps } from './wrapper.ts'

/** The element `<mill-chat>`. */
export type MillChatElement = HTMLElement

export interface MillChatEvents {
  message: LiveChatMessage
  /** A viewer cut a clip. The detail is the new asset. */
  clip: LiveViewerClip
  end: { reason: 'banned' | 'revoked' | 'refused' }
}

export interface Props {
  /** The `url` of a chat token. */
  src: string
  theme?: 'light' | 'dark' | 'auto'
}

export type MillChatProps = WrapperProps<Props, MillChatEvents>

export const chat: ElementDeclaration<MillChatElement, Props, MillChatEvents> = {
  tag: 'mill-chat',
  component: 'MillChat',
  script: '/v1/stream/live/mill-chat.js',
  attributes: { src: text('src'), theme: text('theme') },
  events: { message: 'message', clip: 'clip', end: 'end' },
}

/** Shows the chat of a broadcast with `<mill-chat>`. */
export const MillChat = createWrapper(chat)
