import type { Role } from '#sql/account/people/members.ts'
import type { DatabasePool } from '#sql/db.ts'
import { canRole, type Permission } from '#tasks/account/rules/roles.ts'
import { service } from '../container.ts'
import type { Frame, Section, SectionGroup } from '../html/frame.ts'
import { type Html, html } from '../html/html.ts'
import type { Confirmer } from './confirmation.ts'

export const dashboardFrame: Frame = {
  base: '/app',
  name: 'Dashboard',
  home: 'Go to dashboard',
  script: 'dashboard.js',
}

const groups = ['Home', 'Messaging', 'Media', 'Knowledge and trust', 'Developers', 'Organisation'] as const

export interface DashboardSection extends Section {
  group: (typeof groups)[number]
  permission?: Permission
}

export interface DashboardContribution {
  sections?: readonly DashboardSection[]
  pages?: Readonly<Record<string, object>>
  regions?: Readonly<Record<string, OrgRegion>>
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
  regions: Readonly<Record<string, OrgRegion>>
  confirmer: Confirmer | undefined
}

export const dashboardContents = service<DashboardContents>({ name: 'dashboard' })

export const combineDashboard = (contributions: readonly DashboardContribution[]): DashboardContents => ({
  sections: contributions.flatMap(({ sections = [] }) => sections),
  regions: Object.assign({}, ...contributions.map(({ regions }) => regions)),
  confirmer: contributions.find(({ confirmer }) => confirmer)?.confirmer,
})

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
  groups.map((title) => ({
    title,
    sections: sections.filter(
      ({ group, permission }) => group === title && (permission === undefined || canRole(role, permission)),
    ),
  }))
