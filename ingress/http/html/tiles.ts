import { type Content, type Html, html } from './html.ts'

export const renderTiles = (numbers: readonly (readonly [name: string, value: Content])[]): Html =>
  html`<dl class="tiles">${numbers.map(([name, value]) => html`<div class="tile"><dt>${name}</dt><dd>${value}</dd></div>`)}</dl>`
