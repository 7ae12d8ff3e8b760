import type { Contract } from './document.ts'

const nameOf = (schema: string) => schema.slice('events.'.length)

/** Returns the module of events: the types of known events, and their names for a check at run time. */
export function eventsModule({ events }: Pick<Contract, 'events'>): string {
  const members = events.map(({ schema }) => `    events.${nameOf(schema)},\n`)
  const types = events.map(({ type }) => `        "${type}",\n`)
  return `# Made by \`npm run sdk\` from the document of the API.
"""The events that this version of the client knows."""

from __future__ import annotations

from typing import FrozenSet, Union

from .types import events

#: An event that this version of the client knows: its \`type\` tells what its \`data\` is.
KnownEvent = Union[
${members.join('')}]

#: The types of \`KnownEvent\`.
KNOWN_EVENT_TYPES: FrozenSet[str] = frozenset(
    {
${types.join('')}    }
)
`
}
