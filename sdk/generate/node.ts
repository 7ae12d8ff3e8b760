import { readFileSync } from 'node:fs'
import type { Contract, Generated } from './document.ts'
import { nodeAreas } from './node-areas.ts'
import { nodeEvents } from './node-events.ts'
import { nodeTypes } from './node-types.ts'

const folder = 'sdk/node/src/generated'
const head = '// Made by `npm run sdk` from the document of the API.\n\n'

/** Browser-only types, for projects with and without their type definitions. */
const browserTypes = `
type Global<Name extends string> = typeof globalThis extends { [Key in Name]: { prototype: infer Instance } } ? Instance : unknown
type MediaStreamTrack = Global<'MediaStreamTrack'>
type RTCStatsReport = Global<'RTCStatsReport'>
type Listening = Parameters<EventTarget['addEventListener']>
type EventListenerOrEventListenerObject = Listening[1]
type AddEventListenerOptions = Exclude<Listening[2], boolean | undefined>
`

const roomTypes = () =>
  `${head}${readFileSync(new URL('../../ingress/rooms/client/client.d.ts', import.meta.url), 'utf8')}${browserTypes}`

export const nodeFiles = (contract: Contract): Generated[] => [
  { path: `${folder}/types.ts`, text: head + nodeTypes(contract) },
  { path: `${folder}/areas.ts`, text: head + nodeAreas(contract) },
  { path: `${folder}/events.ts`, text: head + nodeEvents(contract) },
  { path: `${folder}/room.ts`, text: roomTypes() },
]
