'use client'

import type { EmailPreferences } from '../generated/types.ts'
import { type ElementDeclaration, text } from './declaration.ts'
import { createWrapper, type WrapperProps } from './wrapper.ts'

/** The element `<mill-preferences>`. */
export type MillPreferencesElement = HTMLElement

export interface MillPreferencesEvents {
  load: EmailPreferences
  save: EmailPreferences
  expire: object
}

export interface Props {
  /** URL of your server that answers a POST with `{"token": …}`. */
  tokenUrl?: string
  /** Preferences token. */
  token?: string
  theme?: 'light' | 'dark' | 'auto'
  lang?: string
}

export type MillPreferencesProps = WrapperProps<Props, MillPreferencesEvents>

export const preferences: ElementDeclaration<MillPreferencesElement, Props, MillPreferencesEvents> = {
  tag: 'mill-preferences',
  component: 'MillPreferences',
  script: '/send/v1/preferences-element.js',
  attributes: { tokenUrl: text('token-url'), token: text('token'), theme: text('theme'), lang: text('lang') },
  events: { load: 'load', save: 'save', expire: 'expire' },
}

/** Shows the email and notification preferences of a person with `<mill-preferences>`. */
export const MillPreferences = createWrapper(preferences)
