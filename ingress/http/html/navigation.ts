import type { Frame, Section, SectionGroup } from './frame.ts'
import { type Content, type Html, html } from './html.ts'
import { icon } from './icons.ts'

/**
 * Renders the navigation twice: next to the page, and in the menu of narrow screens. Only one of them is displayed. A
 * group with one section is a link.
 */
export function renderNavigation(
  frame: Frame,
  groups: readonly SectionGroup[],
  section: Section | undefined,
): { menu: Html; side: Html } {
  const shown = groups.filter(({ sections }) => sections.length > 0)
  const links = html`<ul>${shown.map((group) => html`<li>${entry(group, section)}</li>`)}</ul>`
  return {
    menu: html`<details class="menu"><summary>Menu${section && html` <span class="quiet">${section.title}</span>`}</summary><nav aria-label="${frame.name}, menu">${links}</nav></details>`,
    side: html`<nav class="side" aria-label="${frame.name}">${links}</nav>`,
  }
}

function entry({ title, icon: name, sections }: SectionGroup, current: Section | undefined): Html {
  const [first] = sections
  if (first && sections.length === 1) return link(first, current, icon(name))
  const isOpen = sections.some(({ path }) => path === current?.path)
  return html`<details data-group="${title}"${isOpen && html` open class="current"`}><summary>${icon(name)}${title}</summary>
<ul>${sections.map((one) => html`<li>${link(one, current)}</li>`)}</ul></details>`
}

const link = ({ title, path }: Section, current: Section | undefined, before?: Content): Html =>
  html`<a href="${path}"${path === current?.path && html` aria-current="page"`}>${before}${title}</a>`
