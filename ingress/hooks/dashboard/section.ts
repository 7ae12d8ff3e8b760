import type { DashboardSection } from '../../http/dashboard/contents.ts'
import { type Content, type Html, html } from '../../http/html/html.ts'

export const section = {
  title: 'Customer webhooks',
  path: '/app/hooks',
  group: 'Jobs and events',
  guide: 'hooks',
  permission: 'webhooks:read',
} as const satisfies DashboardSection

export const typesPath = `${section.path}/event-types`
export const appPath = (id: string): string => `${section.path}/apps/${id}`
export const endpointPath = (appId: string, id: string): string => `${appPath(appId)}/endpoints/${id}`
export const messagePath = (appId: string, id: string): string => `${appPath(appId)}/messages/${id}`

export const factList = (facts: readonly (readonly [string, Content] | false | undefined)[]): Html =>
  html`<dl class="facts">${facts.map((fact) => fact && html`<div><dt>${fact[0]}</dt><dd>${fact[1]}</dd></div>`)}</dl>`
