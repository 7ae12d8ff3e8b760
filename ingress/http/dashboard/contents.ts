import type { Role } from '#sql/account/people/members.ts'
import type { DatabasePool } from '#sql/db.ts'
import { canRole, type Permission } from '#tasks/account/rules/roles.ts'
import { service } from '../container.ts'
import type { Frame, Section, SectionGroup } from '../html/frame.ts'
import { type Html, html } from '../html/html.ts'
import type { IconName } from '../html/icons.ts'
import type { Route } from '../route.ts'
import type { Confirmer } from './confirmation.ts'
import type { Finder } from './finders.ts'
import { getPagePermission } from './gates.ts'

export const dashboardFrame: Frame = {
  base: '/app',
  name: 'Dashboard',
  home: 'Go to dashboard',
  script: 'dashboard.js',
  search: '/app/find',
}

/** Groups of the navigation, with their icons. */
const groups = {
  Start: 'home',
  Email: 'mail',
  Notifications: 'bell',
  People: 'person',
  'Video and live': 'video',
  Rooms: 'people',
  Files: 'folder',
  'Bots and knowledge': 'bot',
  Trust: 'shield',
  'Jobs and events': 'layers',
  Developers: 'code',
  Organisation: 'building',
} as const satisfies Record<string, IconName>

export interface DashboardSection extends Section {
  group: keyof typeof groups
  /** Position in the group: lower numbers first. Default: 0. Sections of one position have the order of the areas. */
  position?: number
  permission?: Permission
}

export interface DashboardContribution {
  sections?: readonly DashboardSection[]
  pages?: Readonly<Record<string, object>>
  regions?: Readonly<Record<string, OrgRegion>>
  finders?: readonly Finder[]
  confirmer?: Confirmer
}

export interface OrgRegion {
  everyMs: number
  read(db: DatabasePool, orgId: string, words: readonly string[]): Promise<Html | null>
  permission?: Permission
  /** True if the region is also updated while the organisation is closed. */
  whileClosed?: true
}

export interface DashboardContents {
  sections: readonly DashboardSection[]
  finders: readonly Finder[]
  /** Pages without parameters that the navigation does not have. */
  pages: readonly FoundPage[]
  regions: Readonly<Record<string, OrgRegion>>
  confirmer: Confirmer | undefined
}

export const dashboardContents = service<DashboardContents>({ name: 'dashboard' })

interface FoundPage {
  title: string
  path: string
  kind: string
  permission?: Permission
}

export function combineDashboard(
  areas: readonly { dashboard?: DashboardContribution; operations: readonly { path: string; route: Route }[] }[],
): DashboardContents {
  const contributions = areas.flatMap(({ dashboard = [] }) => dashboard)
  const sections = contributions.flatMap(({ sections = [] }) => sections)
  const inNavigation = new Set(sections.map(({ path }) => path))
  const pages = areas
    .flatMap(({ operations }) => operations)
    .flatMap(({ path, route }) => {
      const permission = getPagePermission(route)
      if (permission === undefined || path.includes('{') || inNavigation.has(path)) return []
      return [{ title: route.summary, path, kind: 'Page', ...(permission && { permission }) }]
    })
  return {
    sections,
    pages,
    finders: contributions.flatMap(({ finders = [] }) => finders),
    confirmer: contributions.find(({ confirmer }) => confirmer)?.confirmer,
    regions: Object.assign({}, ...contributions.map(({ regions }) => regions)),
  }
}

export function findOrgRegion({ regions }: DashboardContents, name: string, role: Role) {
  const [head = '', ...words] = name.split('/')
  const found = Object.hasOwn(regions, head) ? regions[head] : undefined
  if (!found || (found.permission !== undefined && !canRole(role, found.permission))) return undefined
  const { everyMs, read, whileClosed = false } = found
  return {
    everyMs,
    whileClosed,
    read: async (db: DatabasePool, orgId: string) =>
      (await read(db, orgId, words)) ?? html`<p class="empty">This item no longer exists.</p>`,
  }
}

export const getNavigationGroups = (sections: readonly DashboardSection[], role: Role): readonly SectionGroup[] =>
  Object.entries(groups).map(([title, icon]) => ({
    title,
    icon,
    sections: sections
      .filter(({ group, permission }) => group === title && (permission === undefined || canRole(role, permission)))
      .sort(({ position: a = 0 }, { position: b = 0 }) => a - b),
  }))
