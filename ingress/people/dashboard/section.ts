import type { DashboardSection } from '../../http/dashboard/contents.ts'
import { type Content, type Html, html } from '../../http/html/html.ts'

export const section = {
  title: 'People',
  path: '/app/people',
  group: 'People',
  guide: 'people',
  permission: 'people:read',
} as const satisfies DashboardSection

const tabs = { People: '/app/people', Erasures: '/app/people/erasures' } as const

/** Renders the heading of a list page, with links to the other list. */
export const renderTabs = (current: keyof typeof tabs, action?: Content): Html =>
  html`<div class="title"><h1>${current}</h1>${action}</div>
<nav class="tabs" aria-label="People"><ul>${Object.entries(tabs).map(
    ([title, path]) => html`<li><a href="${path}"${title === current && html` aria-current="page"`}>${title}</a></li>`,
  )}</ul></nav>`

export const personPath = (userId: string): string => `/app/person/${encodeURIComponent(userId)}`

export const erasurePath = (id: string): string => `/app/people/erasures/${id}`
