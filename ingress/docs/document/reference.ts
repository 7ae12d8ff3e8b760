import { type Method, readMethods } from '../../../sdk/generate/methods.ts'
import { buildSample } from '../../../sdk/generate/samples.ts'
import { buildSnippets, type Snippet } from '../../../sdk/generate/snippets.ts'
import type { OperationEntry } from '../../http/openapi/document.ts'
import { parseProblems } from '../../http/openapi/operation.ts'
import type { Components, Schema } from './shapes.ts'

// biome-ignore lint/suspicious/noExplicitAny: the shape of an OpenAPI document.
type Json = any

export interface ProblemEntry {
  status: number
  code: string
  when: string
}

export interface ReferenceOperation {
  /** Operation ID. For example, `push.messages.create`. */
  id: string
  area: { name: string; title: string }
  /** Last part of the page's URL. For example, `messages.create`. */
  name: string
  method: Method
  scopes: readonly string[]
  headers: readonly { name: string; description: string; schema: Schema }[]
  /** Description of the request body in the document. */
  bodyNote: string | undefined
  answer: ReferenceAnswer
  problems: readonly ProblemEntry[]
  snippets: readonly Snippet[]
}

export interface ReferenceAnswer {
  status: string
  /** Content by media type. Only JSON has a schema. */
  contents: readonly { type: string; schema: Schema }[]
  headers: readonly { name: string; description: string }[]
  sample: unknown
}

export interface ReferenceEvent {
  type: string
  summary: string
  schema: Schema
  sample: unknown
}

/** The OpenAPI document in the form that the pages need. */
export interface Reference {
  components: Components
  operations: readonly ReferenceOperation[]
  /** Description of each area. */
  descriptions: ReadonlyMap<string, string>
  /** Events by type. Empty if the document has none. */
  events: ReadonlyMap<string, ReferenceEvent>
}

/** Parses the OpenAPI document. `entries` lists the operations in their order. */
export function readReference(text: string, entries: readonly OperationEntry[]): Reference {
  const document: Json = JSON.parse(text)
  const components: Components = document.components.schemas
  const methods = new Map(readMethods(document).map((method) => [method.id, method]))
  const objects = new Map<string, Json>(
    Object.values<Json>(document.paths).flatMap((item) =>
      Object.values<Json>(item).map((operation): [string, Json] => [operation.operationId, operation]),
    ),
  )
  const operations = entries.flatMap(({ id, area: { name, title } }) => {
    const [method, object] = [methods.get(id), objects.get(id)]
    return method && object ? [operationOf(method, object, { name, title }, components)] : []
  })
  const descriptions = new Map<string, string>(document.tags.map((tag: Json) => [tag.name, tag.description]))
  return { components, operations, descriptions, events: eventsOf(document.webhooks ?? {}, components) }
}

function operationOf(
  method: Method,
  object: Json,
  area: ReferenceOperation['area'],
  components: Components,
): ReferenceOperation {
  return {
    id: method.id,
    area,
    name: method.id.slice(area.name.length + 1),
    method,
    scopes: [object['x-scope'] ?? []].flat(),
    headers: (object.parameters ?? []).filter((parameter: Json) => parameter.in === 'header'),
    bodyNote: object.requestBody?.description,
    answer: answerOf(object, components),
    problems: Object.entries<Json>(object.responses).flatMap(([status, { description }]) =>
      Number(status) < 400 ? [] : parseProblems(description).map((one) => ({ status: Number(status), ...one })),
    ),
    snippets: buildSnippets(method, components),
  }
}

function answerOf({ responses }: Json, components: Components): ReferenceAnswer {
  const [status = '200', { content = {}, headers = {} } = {} as Json] =
    Object.entries<Json>(responses).find(([code]) => code.startsWith('2')) ?? []
  const json = content['application/json']
  return {
    status,
    contents: Object.entries<Json>(content).map(([type, { schema }]) => ({ type, schema })),
    headers: Object.entries<Json>(headers).map(([name, { description }]) => ({ name, description })),
    sample: json ? (json.example ?? buildSample(json.schema, components)) : undefined,
  }
}

function eventsOf(webhooks: Json, components: Components): Map<string, ReferenceEvent> {
  const events = Object.entries<Json>(webhooks).map(([type, { post = {} }]): [string, ReferenceEvent] => {
    const { schema = {}, example, examples = {} } = post.requestBody?.content?.['application/json'] ?? {}
    const [named] = Object.values<Json>(examples)
    const sample = example ?? named?.value ?? buildSample(schema, components)
    return [type, { type, summary: post.summary ?? post.description ?? '', schema, sample }]
  })
  return new Map(events)
}
