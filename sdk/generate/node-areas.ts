import type { Contract } from './document.ts'
import type { Method } from './methods.ts'
import { bodyName, getReplyType, isOptionalBody, queryName } from './node-types.ts'
import { renderComment } from './typescript.ts'

interface Place {
  methods: Method[]
  places: Map<string, Place>
}

const emptyPlace = (): Place => ({ methods: [], places: new Map() })
const capital = (word: string) => word.charAt(0).toUpperCase() + word.slice(1)
const camel = (name: string) => name.replace(/_(\w)/g, (_, letter: string) => letter.toUpperCase())

export function renderNodeAreas({ methods }: Contract): string {
  const root = emptyPlace()
  for (const method of methods) {
    let place = root
    for (const step of method.node.slice(0, -1)) {
      if (!place.places.has(step)) place.places.set(step, emptyPlace())
      place = place.places.get(step) as Place
    }
    place.methods.push(method)
  }
  const imports = [
    "import type { CallOptions, KeyedCallOptions, Transport } from '../transport.ts'",
    "import type { APIPromise } from '../api-promise.ts'",
    "import type { EventStream } from '../event-stream.ts'",
    "import type { Listing } from '../listing.ts'",
    "import { pathOf } from '../path.ts'",
    "import type * as types from './types.ts'",
  ]
  return `${imports.join('\n')}\n${classOf('', root)}`
}

function classOf(path: string, { methods, places }: Place): string {
  const name = path === '' ? 'Areas' : `${path}Methods`
  const inner = [...places].map(([step, place]) => classOf(path + capital(step), place)).join('')
  const fields = [...places.keys()].map((step) => `  readonly ${step}: ${path}${capital(step)}Methods\n`).join('')
  const made = [...places.keys()].map((step) => `    this.${step} = new ${path}${capital(step)}Methods(transport)\n`)
  const held = methods.length > 0
  const builder = `  constructor(transport: Transport) {\n${held ? '    this.#transport = transport\n' : ''}${made.join('')}  }\n`
  const comment = path === '' ? '/** Every operation of the API, by area. */\n' : ''
  return `${inner}
${comment}export class ${name} {
${held ? '  readonly #transport: Transport\n' : ''}${fields}
${builder}${methods.map(methodText).join('')}}
`
}

function methodText(method: Method): string {
  const { reply, summary, description, node } = method
  const name = node.at(-1)
  const comment = renderComment(`${summary}.${description ? `\n\n${description}` : ''}`, '  ')
  const options = method.idempotent ? 'KeyedCallOptions' : 'CallOptions'
  const path = method.pathParameters.map((parameter) => `${camel(parameter.name)}: string`)
  const given = argument(method)
  const call = callText(method)
  const signature = (more: string, answer: string) =>
    `${name}(${[...path, ...(more ? [more] : []), `options?: ${options}`].join(', ')}): ${answer}`
  if (method.streams && reply) {
    const [plain, stream] = [
      `types.${bodyName(method)} & { stream?: false }`,
      `types.${bodyName(method)} & { stream: true }`,
    ]
    const answers = `APIPromise<types.${getReplyType(method).name}>`
    return `
${comment}  ${signature(`body: ${plain}`, answers)}
${comment}  ${signature(`body: ${stream}`, 'EventStream')}
  ${signature(`body: types.${bodyName(method)}`, `${answers} | EventStream`)} {
    const call = ${call}
    return body.stream ? this.#transport.events(call, options) : this.#transport.json(call, options)
  }
`
  }
  return `
${comment}  ${signature(given, answerOf(method))} {
    return this.#transport.${verbOf(method)}(${call}, options)
  }
`
}

function argument(method: Method): string {
  if (method.body) return `body${isOptionalBody(method) ? '?' : ''}: types.${bodyName(method)}`
  if (method.query.length === 0) return ''
  const optional = method.query.every(({ required }) => !required)
  return `query${optional ? '?' : ''}: types.${queryName(method)}`
}

function verbOf({ paged, streams, reply, text }: Method): string {
  if (paged) return 'list'
  if (streams) return 'events'
  if (reply) return 'json'
  return text ? 'text' : 'nothing'
}

function answerOf(method: Method): string {
  const verb = verbOf(method)
  if (verb === 'events') return 'EventStream'
  if (verb === 'text') return 'APIPromise<string>'
  if (verb === 'nothing') return 'APIPromise<void>'
  const type = `types.${getReplyType(method).name}`
  return verb === 'list' ? `Listing<${type}>` : `APIPromise<${type}>`
}

function callText({ verb, path, pathParameters, body, query, idempotent, repeatable, open }: Method): string {
  const filled = path.replace(/\{(\w+)\}/g, (_, name: string) => `\${${camel(name)}}`)
  const parts = [
    `verb: '${verb}'`,
    `path: ${pathParameters.length > 0 ? `pathOf\`${filled}\`` : `'${path}'`}`,
    ...(body ? ['body'] : []),
    ...(query.length > 0 ? ['query'] : []),
    ...(idempotent ? ['takesKey: true'] : []),
    ...(repeatable ? ['repeatable: true'] : []),
    ...(open ? ['open: true'] : []),
  ]
  return `{ ${parts.join(', ')} }`
}
