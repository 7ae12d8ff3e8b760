import { service } from '../container.ts'
import { consoleFrame, type Section, type SectionGroup } from './frame.ts'
import type { Region, Regions } from './regions.ts'

/** Where the console's pages lie. */
export const consoleBase = consoleFrame.base

/** The headings of the console's navigation, in their order. */
const groups = ['Queue', 'Customers', 'Messaging', 'Media', 'Knowledge and trust'] as const

/** A section of the console, and the heading under which it stands. */
export interface ConsoleSection extends Section {
  group: (typeof groups)[number]
}

/** What an area adds to the operators' console. */
export interface ConsoleContribution {
  sections?: readonly ConsoleSection[]
  /** Resources whose routes are made by `page`. */
  pages?: Readonly<Record<string, object>>
  regions?: Readonly<Record<string, Region>>
}

/** What the console is made of, from all areas. */
export interface ConsoleContents {
  groups: readonly SectionGroup[]
  regions: Regions
}

/** The console's contents in this process. */
export const consoleContents = service<ConsoleContents>({ name: 'console' })

/** Puts together what areas add to the console. */
export function contentsOf(contributions: readonly ConsoleContribution[]): ConsoleContents {
  const sections = contributions.flatMap(({ sections = [] }) => sections)
  return {
    groups: groups.map((title) => ({ title, sections: sections.filter(({ group }) => group === title) })),
    regions: Object.assign({}, ...contributions.map(({ regions }) => regions)),
  }
}
