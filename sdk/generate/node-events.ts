import type { Contract } from './document.ts'
import { schemaName } from './node-types.ts'

/**
 * Returns the source file of events. It contains the types of known events, and their names for a check at run time.
 */
export function renderNodeEvents({ events }: Contract): string {
  const names = events.map(({ schema }) => schemaName(schema))
  const fields = events.map(({ type }, i) => `  '${type}': ${names[i]}\n`)
  const types = events.map(({ type }) => `  '${type}',\n`)
  return `import type {
${names.map((name) => `  ${name},\n`).join('')}} from './types.ts'

/** The events that this version of the client knows, by their types. */
export interface KnownEvents {
${fields.join('')}}

/** An event that this version of the client knows: its \`type\` tells what its \`data\` is. */
export type KnownEvent = KnownEvents[keyof KnownEvents]

/** The types of \`KnownEvent\`. */
export const knownEventTypes: ReadonlySet<string> = new Set<keyof KnownEvents>([
${types.join('')}])
`
}
