import type { Role } from '#sql/account/members.ts'
import type { DatabasePool } from '#sql/db.ts'
import { may, type Permission } from '#tasks/account/rules/roles.ts'
import type { Frame, Section, SectionGroup } from '../console/frame.ts'
import { type Html, html } from '../console/html.ts'
import { service } from '../container.ts'

/** The pages of an organisation's members. */
export const dashboardFrame: Frame = { base: '/app', name: 'Dashboard', home: 'To the start', script: 'dashboard.js' }

/** The headings of the dashboard's navigation, in their order. */
const groups = ['Home', 'Messaging', 'Media', 'Knowledge and trust', 'Developers', 'Organisation'] as const

/** A section of the dashboard, its heading, and who sees it; without a permission, every member. */
export interface DashboardSection extends Section {
  group: (typeof groups)[number]
  permission?: Permission
}

/** What an area adds to the dashboard. */
export interface DashboardContribution {
  sections?: readonly DashboardSection[]
  /** Resources whose routes are made by `page`, `formPage` and `action`. */
  pages?: Readonly<Record<string, object>>
  regions?: Readonly<Record<string, OrgRegion>>
}

/** A region of pages that is kept as it is on the server, of one organisation: who watches is known by their session alone. */
export interface OrgRegion {
  everyMs: number
  /** What it shows with these words after its name; null when there is no such thing. */
  read(db: DatabasePool, orgId: string, words: readonly string[]): Promise<Html | null>
  permission?: Permission
}

/** What the dashboard is made of, from all areas. */
export interface DashboardContents {
  sections: readonly DashboardSection[]
  regions: Readonly<Record<string, OrgRegion>>
}

/** The dashboard's contents in this process. */
export const dashboardContents = service<DashboardContents>({ name: 'dashboard' })

/** Puts together what areas add to the dashboard. */
export const dashboardOf = (contributions: readonly DashboardContribution[]): DashboardContents => ({
  sections: contributions.flatMap(({ sections = [] }) => sections),
  regions: Object.assign({}, ...contributions.map(({ regions }) => regions)),
})

/** The region of that name as an organisation's members of a role see it; undefined when there is none, or not for them. */
export function findOrgRegion({ regions }: DashboardContents, name: string, role: Role) {
  const [head = '', ...words] = name.split('/')
  const found = Object.hasOwn(regions, head) ? regions[head] : undefined
  if (!found || (found.permission !== undefined && !may(role, found.permission))) return undefined
  const { everyMs, read } = found
  return {
    everyMs,
    read: async (db: DatabasePool, orgId: string) =>
      (await read(db, orgId, words)) ?? html`<p class="empty">There is nothing here any more.</p>`,
  }
}

/** The navigation of members of a role. */
export const groupsFor = (sections: readonly DashboardSection[], role: Role): readonly SectionGroup[] =>
  groups.map((title) => ({
    title,
    sections: sections.filter(
      ({ group, permission }) => group === title && (permission === undefined || may(role, permission)),
    ),
  }))
