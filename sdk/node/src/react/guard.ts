'use client'

import { type ElementDeclaration, flag, number, text, unless } from './declaration.ts'
import { createWrapper, type WrapperProps } from './wrapper.ts'

/** The element `<mill-guard>`, a form field whose value is a token. */
export interface MillGuardElement extends HTMLElement {
  readonly form: HTMLFormElement | null
  readonly value: string
  readonly state: 'start' | 'working' | 'done' | 'expired' | 'failed' | 'denied'
  readonly validity: ValidityState
  readonly validationMessage: string
  readonly willValidate: boolean
  name: string
  checkValidity(): boolean
  reportValidity(): boolean
  reset(): void
  /** Gets a token. */
  solve(): Promise<string>
}

export interface MillGuardEvents {
  /** `value` is the completed share, 0 to 1. */
  progress: { value: number; tier: string }
  solve: { token: string; tier: string; solve_ms: number }
  expire: object
  /** `retry_after` is in seconds. */
  error: { code: string; message: string; retry_after?: number }
  reset: object
}

export interface Props {
  /** Site key. */
  sitekey: string
  action: string
  /** Name of the form field. Default: `mill-guard-token`. */
  name?: string
  /** When the element gets a token. Default: when the visitor clicks it. */
  auto?: 'off' | 'onload' | 'onfocus' | 'onsubmit'
  /** URL of the API. Default: the server of the script. */
  api?: string
  /** Number of workers. */
  workers?: number | string
  /** URL of the worker, if your content security policy does not allow workers of the server. */
  worker?: string
  lang?: string
  theme?: 'light' | 'dark' | 'auto'
  /** True if the form can be sent without a token. */
  optional?: boolean
  disabled?: boolean
  /** False turns off the assessment of the browser. */
  assess?: boolean
}

export type MillGuardProps = WrapperProps<Props, MillGuardEvents>

export const guard: ElementDeclaration<MillGuardElement, Props, MillGuardEvents> = {
  tag: 'mill-guard',
  component: 'MillGuard',
  script: '/v1/guard/widget.js',
  attributes: {
    sitekey: text('sitekey'),
    action: text('action'),
    name: { name: 'name', write: (name = 'mill-guard-token') => name },
    auto: text('auto'),
    api: text('api'),
    workers: number('workers'),
    worker: text('worker'),
    lang: text('lang'),
    theme: text('theme'),
    optional: flag('optional'),
    disabled: flag('disabled'),
    assess: unless('assess', 'off'),
  },
  events: { progress: 'progress', solve: 'solve', expire: 'expire', error: 'error', reset: 'reset' },
}

/** Protects a form with `<mill-guard>`. */
export const MillGuard = createWrapper(guard)
