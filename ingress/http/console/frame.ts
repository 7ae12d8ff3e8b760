/** Common properties of the pages for one audience: operators, or members of an organisation. */
export interface Frame {
  /** The base path of the pages and their files. */
  base: string
  name: string
  /** The link text to the start page. */
  home: string
  /** The JavaScript module of the pages, by its file name. */
  script: string
}

/** A page in the navigation, and the pages that belong to it. */
export interface Section {
  title: string
  path: string
}

export interface SectionGroup {
  title: string
  sections: readonly Section[]
}

/** The viewer of a page. */
export interface Viewer {
  /** Token for every form of this session. */
  csrf: string
  /** Flash message: the result of the last action, shown on the next page. */
  told: string | null
  /** Name of the viewer in the header. */
  label: string
  hint: string
  /** End of the session without activity, its latest end, and the current time. Without it, no warning is shown. */
  ends?: { now: Date; idleUntil: Date; expiresAt: Date }
}

export const consoleFrame: Frame = { base: '/ops', name: 'Console', home: 'Go to overview', script: 'console.js' }
