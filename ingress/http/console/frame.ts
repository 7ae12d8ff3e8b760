/** What the pages of one audience have in common: of operators, or of the members of an organisation. */
export interface Frame {
  /** The path below which they lie, with their files. */
  base: string
  /** What they are together. */
  name: string
  /** The page that leads to all others, in the words of a link. */
  home: string
  /** The module that their pages load, by its name among the files. */
  script: string
}

/** A page that the navigation leads to, and those that belong to it. */
export interface Section {
  title: string
  path: string
}

/** Sections under one heading. */
export interface SectionGroup {
  title: string
  sections: readonly Section[]
}

/** Who looks at a page. */
export interface Viewer {
  /** Goes with every form of this session. */
  csrf: string
  /** Flash message: what the next page says of the action before it. */
  told: string | null
  /** As the header names who is signed in, and by what. */
  label: string
  hint: string
  /** When the session ends unless it is used, and when in any case, as of now; without it, nobody is warned. */
  ends?: { now: Date; idleUntil: Date; expiresAt: Date }
}

/** The pages of operators. */
export const consoleFrame: Frame = { base: '/ops', name: 'Console', home: 'To the overview', script: 'console.js' }
