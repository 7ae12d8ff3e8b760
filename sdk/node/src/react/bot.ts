'use client'

import type { BotsAnswer, BotsVisitorRating } from '../generated/types.ts'
import { type ElementDeclaration, text } from './declaration.ts'
import { createWrapper, type WrapperProps } from './wrapper.ts'

/** The element `<mill-bot>`. */
export interface MillBotElement extends HTMLElement {
  /** Sends a message of the visitor. */
  say(message: string): Promise<void>
}

export interface MillBotEvents {
  answer: BotsAnswer
  /** A person will answer. The detail is the answer of the bot, or the response to the visitor's request for a person. */
  handover: BotsAnswer | { available: boolean; next_open_at: string | null }
  rating: BotsVisitorRating
}

export interface Props {
  /** Public key with the scope `bots:chat`. */
  publicKey: string
  /** ID of the bot. */
  bot: string
  heading?: string
  theme?: 'light' | 'dark' | 'auto'
}

export type MillBotProps = WrapperProps<Props, MillBotEvents>

export const bot: ElementDeclaration<MillBotElement, Props, MillBotEvents> = {
  tag: 'mill-bot',
  component: 'MillBot',
  script: '/v1/bots/element.js',
  attributes: { publicKey: text('public-key'), bot: text('bot'), heading: text('heading'), theme: text('theme') },
  events: { answer: 'answer', handover: 'handover', rating: 'rating' },
  readOnce: ['publicKey', 'bot', 'heading'],
}

/** Shows a conversation with a bot with `<mill-bot>`. */
export const MillBot = createWrapper(bot)
