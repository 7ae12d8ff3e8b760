import type { IconName } from './icons.ts'

export interface Frame {
  base: string
  name: string
  home: string
  script: string
  /** Path of the search over pages and IDs, for frames that have one. */
  search?: string
}

export interface Section {
  title: string
  path: string
  /** Name of the guide in the documentation. */
  guide?: string
}

export interface SectionGroup {
  title: string
  icon: IconName
  sections: readonly Section[]
}

export interface Viewer {
  csrf: string
  /** Result of the last action. The next page shows it. */
  told: string | null
  label: string
  hint: string
  ends?: { now: Date; idleUntil: Date; expiresAt: Date }
  /** Path of the viewer’s own page. */
  account?: string
}
