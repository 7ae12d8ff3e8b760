import { service } from '../container.ts'
import type { Region, Regions } from './regions.ts'

/** Where the console's pages lie. */
export const consoleBase = '/ops'

/** A page that the header leads to, and those that belong to it. */
export interface Section {
  title: string
  path: string
  /** Before those of the areas, or behind them. */
  stands?: 'first' | 'last'
}

/** What an area adds to the operators' console. */
export interface ConsoleContribution {
  sections?: readonly Section[]
  /** Resources whose routes are made by `page`. */
  pages?: Readonly<Record<string, object>>
  regions?: Readonly<Record<string, Region>>
}

/** What the console is made of, from all areas. */
export interface ConsoleContents {
  sections: readonly Section[]
  regions: Regions
}

/** The console's contents in this process. */
export const consoleContents = service<ConsoleContents>({ name: 'console' })

/** Puts together what areas add to the console. */
export function contentsOf(contributions: readonly ConsoleContribution[]): ConsoleContents {
  const sections = contributions.flatMap(({ sections = [] }) => sections)
  return {
    sections: (['first', undefined, 'last'] as const).flatMap((place) =>
      sections.filter(({ stands }) => stands === place),
    ),
    regions: Object.assign({}, ...contributions.map(({ regions }) => regions)),
  }
}
