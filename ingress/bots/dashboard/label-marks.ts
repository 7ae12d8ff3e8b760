import { type Html, html } from '../../http/html/html.ts'

/** Renders labels with their colours. The name is always shown, so that colour is not the only sign. */
export const labelMarks = (labels: readonly { name: string; color: string }[]): Html | undefined =>
  labels.length === 0
    ? undefined
    : html`<span class="label-marks">${labels.map(({ name, color }) => html`<span class="label-mark is-${color}">${name}</span> `)}</span>`
