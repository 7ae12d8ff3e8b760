export interface Frame {
  base: string
  name: string
  home: string
  script: string
}

export interface Section {
  title: string
  path: string
}

export interface SectionGroup {
  title: string
  sections: readonly Section[]
}

export interface Viewer {
  csrf: string
  /** Result of the last action. The next page shows it. */
  told: string | null
  label: string
  hint: string
  ends?: { now: Date; idleUntil: Date; expiresAt: Date }
}
