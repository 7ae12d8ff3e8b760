import type { DashboardSection } from '../../http/dashboard/contents.ts'
import { type Content, type Html, html } from '../../http/html/html.ts'

export const section = {
  title: 'Notifications',
  path: '/app/notify',
  group: 'Notifications',
  guide: 'notify',
  permission: 'log:read',
} as const satisfies DashboardSection

const tabs = {
  Workflows: '/app/notify',
  Texts: '/app/notify/texts',
  Brands: '/app/notify/brands',
  People: '/app/notify/people',
  Chat: '/app/notify/connections',
  Runs: '/app/notify/runs',
  Inbox: '/app/notify/inbox',
} as const

export type Tab = keyof typeof tabs

/** Renders the heading of a list page, with links to the other lists of the section. */
export const renderTabs = (current: Tab, action?: Content): Html =>
  html`<div class="title"><h1>${current === 'Workflows' ? 'Notifications' : current}</h1>${action}</div>
<nav class="tabs" aria-label="Notifications"><ul>${Object.entries(tabs).map(
    ([title, path]) => html`<li><a href="${path}"${title === current && html` aria-current="page"`}>${title}</a></li>`,
  )}</ul></nav>`

export const brandPath = (productKey: string): string => `/app/notify/brands/${encodeURIComponent(productKey)}`

export const workflowPath = (key: string): string => `/app/notify/workflows/${key}`

export const connectionsPath = '/app/notify/connections'

export const personPath = (userId: string): string => `/app/notify/person/${encodeURIComponent(userId)}`

export const textPath = (type: string, locale: string): string =>
  `/app/notify/texts/${encodeURIComponent(type)}/${encodeURIComponent(locale)}`
