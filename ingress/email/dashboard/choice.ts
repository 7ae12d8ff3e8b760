import { type Html, html } from '../../http/html/html.ts'

export const choice = (name: string, options: readonly string[], chosen: string | undefined): Html =>
  html`<select id="${name}" name="${name}"><option value="">any</option>${options.map(
    (one) => html`<option${one === chosen && html` selected`}>${one}</option>`,
  )}</select>`
