import { service } from '../container.ts'
import type { Frame, Section, SectionGroup } from '../html/frame.ts'
import type { Region, Regions } from './regions.ts'

export const consoleFrame: Frame = { base: '/ops', name: 'Console', home: 'Go to overview', script: 'console.js' }

export const consoleBase = consoleFrame.base

const groups = ['Queue', 'Customers', 'Messaging', 'Media', 'Knowledge and trust'] as const

export interface ConsoleSection extends Section {
  group: (typeof groups)[number]
}

export interface ConsoleContribution {
  sections?: readonly ConsoleSection[]
  pages?: Readonly<Record<string, object>>
  regions?: Readonly<Record<string, Region>>
}

export interface ConsoleContents {
  groups: readonly SectionGroup[]
  regions: Regions
}

export const consoleContents = service<ConsoleContents>({ name: 'console' })

export function combineContributions(contributions: readonly ConsoleContribution[]): ConsoleContents {
  const sections = contributions.flatMap(({ sections = [] }) => sections)
  return {
    groups: groups.map((title) => ({ title, sections: sections.filter(({ group }) => group === title) })),
    regions: Object.assign({}, ...contributions.map(({ regions }) => regions)),
  }
}
