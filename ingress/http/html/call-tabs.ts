import { codeBlock } from './highlight.ts'
import { type Html, html } from './html.ts'

export interface ClientCall {
  label: 'curl' | 'Node' | 'Python' | 'PHP' | 'Go'
  code: string
}

const languages = { curl: 'sh', Node: 'js', Python: 'python', PHP: 'php', Go: 'go' } as const

/** Returns the client that a code block in this language is for, or undefined for other languages. */
export function clientOf(language: string): ClientCall['label'] | undefined {
  if (language === 'js' || language === 'ts') return 'Node'
  const found = Object.entries(languages).find(([, name]) => name === language)
  return found?.[0] as ClientCall['label'] | undefined
}

/**
 * Returns one call as tabs, with a tab per client. `group` makes the ids unique on a page with several calls. `block`
 * renders the code.
 */
export function callTabs(
  calls: readonly ClientCall[],
  group = '',
  block: (code: string, language: string, label: string) => Html = codeBlock,
): Html {
  const id = (part: string, label: string) => [part, group, label].filter(Boolean).join('-')
  return html`<div role="tablist" aria-label="Client">${calls.map(
    ({ label }, i) =>
      html`<button type="button" role="tab" id="${id('tab', label)}" aria-controls="${id('call', label)}" aria-selected="${i === 0 ? 'true' : 'false'}">${label}</button>`,
  )}</div>
${calls.map(
  ({ label, code }) =>
    html`<div role="tabpanel" id="${id('call', label)}" data-call="${label}" aria-labelledby="${id('tab', label)}">${block(code, languages[label], label)}</div>`,
)}`
}
