import { readFileSync } from 'node:fs'
import type { Contract, Generated } from './document.ts'
import { nodeAreas } from './node-areas.ts'
import { nodeEvents } from './node-events.ts'
import { nodeTypes } from './node-types.ts'

const folder = 'sdk/node/src/generated'
const head = '// Made by `npm run sdk` from the document of the API.\n\n'

/** The types of the module by which pages join rooms, which the API serves; they name what browsers have. */
const roomTypes = () =>
  `/// <reference lib="dom" preserve="true" />\n${head}${readFileSync(new URL('../../ingress/rooms/client/client.d.ts', import.meta.url), 'utf8')}`

/** The generated files of the Node client. */
export const nodeFiles = (contract: Contract): Generated[] => [
  { path: `${folder}/types.ts`, text: head + nodeTypes(contract) },
  { path: `${folder}/areas.ts`, text: head + nodeAreas(contract) },
  { path: `${folder}/events.ts`, text: head + nodeEvents(contract) },
  { path: `${folder}/room.ts`, text: roomTypes() },
]
