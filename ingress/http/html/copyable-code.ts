import { codeBlock } from './highlight.ts'
import { type Html, html } from './html.ts'

/** Renders code with a copy button. `of` names the code for screen readers. For example, "the snippet". */
export const copyableCode = (code: string, language: string, of: string): Html =>
  html`<div class="code">${codeBlock(code, language)}<button type="button" class="copy scripted-only" data-copy="${code}">Copy<span class="unseen"> ${of}</span></button></div>`
