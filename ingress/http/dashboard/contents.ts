import type { Role } from '#sql/account/members.ts'
import type { DatabasePool } from '#sql/db.ts'
import { may, type Permission } from '#tasks/account/rules/roles.ts'
import type { Frame, Section, SectionGroup } from '../console/frame.ts'
import { type Html, html } from '../console/html.ts'
import { service } from '../container.ts'

export const dashboardFrame: Frame = {
  base: '/app',
  name: 'Dashboard',
  home: 'Go to dashboard',
  script: 'dashboard.js',
}

/** Headings of the dashboard’s navigation, in order. */
const groups = ['Home', 'Messaging', 'Media', 'Knowledge and trust', 'Developers', 'Organisation'] as const

/** A section of the dashboard. Without a permission, every member sees it. */
export interface DashboardSection extends Section {
  group: (typeof groups)[number]
  permission?: Permission
}

/** Pages and regions that an area adds to the dashboard. */
export interface DashboardContribution {
  sections?: readonly DashboardSection[]
  /** Resources whose routes are created with `page`, `formPage` and `action`. */
  pages?: Readonly<Record<string, object>>
  regions?: Readonly<Record<string, OrgRegion>>
}

/** A live region for one organisation. The session identifies the viewer. */
export interface OrgRegion {
  everyMs: number
  /** Returns the content for the words after the name, or null if there is no such region. */
  read(db: DatabasePool, orgId: string, words: readonly string[]): Promise<Html | null>
  permission?: Permission
}

/** Contents of the dashboard from all areas. */
export interface DashboardContents {
  sections: readonly DashboardSection[]
  regions: Readonly<Record<string, OrgRegion>>
}

export const dashboardContents = service<DashboardContents>({ name: 'dashboard' })

/** Combines the contributions of areas to the dashboard. */
export const dashboardOf = (contributions: readonly DashboardContribution[]): DashboardContents => ({
  sections: contributions.flatMap(({ sections = [] }) => sections),
  regions: Object.assign({}, ...contributions.map(({ regions }) => regions)),
})

/** Returns a region for members with a role, or undefined if it does not exist or the role has no access. */
export function findOrgRegion({ regions }: DashboardContents, name: string, role: Role) {
  const [head = '', ...words] = name.split('/')
  const found = Object.hasOwn(regions, head) ? regions[head] : undefined
  if (!found || (found.permission !== undefined && !may(role, found.permission))) return undefined
  const { everyMs, read } = found
  return {
    everyMs,
    read: async (db: DatabasePool, orgId: string) =>
      (await read(db, orgId, words)) ?? html`<p class="empty">This item no longer exists.</p>`,
  }
}

/** Returns the navigation for members with a role. */
export const groupsFor = (sections: readonly DashboardSection[], role: Role): readonly SectionGroup[] =>
  groups.map((title) => ({
    title,
    sections: sections.filter(
      ({ group, permission }) => group === title && (permission === undefined || may(role, permission)),
    ),
  }))
