import { service } from '../container.ts'
import type { Frame, Section, SectionGroup } from '../html/frame.ts'
import type { IconName } from '../html/icons.ts'
import type { Region, Regions } from './regions.ts'

export const consoleFrame: Frame = { base: '/ops', name: 'Console', home: 'Go to overview', script: 'console.js' }

export const consoleBase = consoleFrame.base

const groups = {
  Queue: 'layers',
  Customers: 'building',
  Messaging: 'mail',
  Media: 'video',
  'Knowledge and trust': 'shield',
} as const satisfies Record<string, IconName>

export interface ConsoleSection extends Section {
  group: keyof typeof groups
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
    groups: Object.entries(groups).map(([title, icon]) => ({
      title,
      icon,
      sections: sections.filter(({ group }) => group === title),
    })),
    regions: Object.assign({}, ...contributions.map(({ regions }) => regions)),
  }
}
