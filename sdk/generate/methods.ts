// biome-ignore lint/suspicious/noExplicitAny: the document's shape is its own specification's.
type Json = any

export interface Parameter {
  name: string
  required: boolean
  schema: Json
  description?: string
}

export interface Method {
  /** `operationId`, such as `video.upload-parts.sign`. */
  id: string
  /** Path in the Node client: `['video', 'uploadParts', 'sign']`. */
  node: string[]
  /** Path in the Python client: `['video', 'upload_parts', 'sign']`. */
  python: string[]
  verb: string
  path: string
  summary: string
  description?: string
  /** Path parameters in the order of the path. */
  pathParameters: Parameter[]
  query: Parameter[]
  /** `maxBytes` is the maximum size of the request body. */
  body?: { schema: Json; required: boolean; example?: unknown; maxBytes: number }
  /** Schema of a JSON response. Undefined for other responses. */
  reply?: Json
  /** True if the operation returns a list in pages linked by `next_cursor`. */
  paged: boolean
  idempotent: boolean
  /** True for a POST that can be repeated safely. */
  repeatable: boolean
  /** True if the operation can respond with server-sent events. */
  streams: boolean
  /** True if the response is text that is neither JSON nor events. */
  text: boolean
  /** True if the operation needs no key. */
  open: boolean
}

/** Method names of push that the contract defines (spec 4.3). All other names are derived from the operation ID. */
const contractNames: Record<string, string> = {
  'push.messages.create': 'send',
  'push.messages.read': 'getMessage',
  'push.trace.read': 'messageTrace',
  'push.installations.create': 'registerInstallation',
  'push.users.create': 'registerUser',
  'push.receipts.create': 'receipt',
  'push.apps.list': 'listApps',
  'push.apps.create': 'createApp',
  'push.apps.read': 'getApp',
  'push.insights.stats': 'appStats',
  'push.insights.insights': 'appInsights',
  'push.installations.list': 'listInstallations',
  'push.deliveries.list': 'listDeliveries',
  'push.webhooks.list': 'listWebhooks',
  'push.webhooks.create': 'createWebhook',
  'push.webhooks.test': 'testWebhook',
  'push.templates.list': 'listTemplates',
  'push.templates.create': 'createTemplate',
}

const camel = (name: string) => name.replace(/-(\w)/g, (_, letter: string) => letter.toUpperCase())
const snake = (name: string) => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)

/**
 * Returns the path of an operation in the client. If a resource has the name of its area, the path omits the resource:
 * `bots.create`.
 */
export function nodePath(id: string): string[] {
  const [area = '', resource = '', action = ''] = id.split('.')
  const contract = contractNames[id]
  if (contract) return [area, contract]
  return (area === resource ? [area, action] : [area, resource, action]).map(camel)
}

export function readMethods(document: Json): Method[] {
  return Object.entries<Json>(document.paths).flatMap(([path, item]) =>
    Object.entries<Json>(item).map(([verb, operation]) => methodOf(path, verb, operation)),
  )
}

function methodOf(path: string, verb: string, operation: Json): Method {
  const node = nodePath(operation.operationId)
  const parameters: Json[] = operation.parameters ?? []
  const body = operation.requestBody?.content?.['application/json']
  const answer = answerOf(operation)
  const query = parameters.filter((parameter) => parameter.in === 'query')
  return {
    id: operation.operationId,
    node,
    python: node.map(snake),
    verb: verb.toUpperCase(),
    path,
    summary: operation.summary,
    ...(operation.description ? { description: operation.description } : {}),
    pathParameters: parameters.filter((parameter) => parameter.in === 'path'),
    // If an operation has a JSON body, its query parameters are for bodies of other types. The clients never send
    // those, so they omit the parameters.
    query: body ? [] : query,
    ...(body ? { body: bodyOf(operation, body) } : {}),
    ...(answer['application/json'] ? { reply: answer['application/json'].schema } : {}),
    paged: query.some(({ name }) => name === 'cursor'),
    idempotent: parameters.some(({ name }) => name === 'Idempotency-Key'),
    repeatable: operation['x-repeatable'] === true,
    streams: 'text/event-stream' in answer,
    text: Object.keys(answer).some((type) => type.startsWith('text/') && type !== 'text/event-stream'),
    open: operation.security.length === 0,
  }
}

const bodyOf = ({ requestBody }: Json, { schema, example }: Json): NonNullable<Method['body']> => ({
  schema,
  required: requestBody.required,
  example,
  maxBytes: requestBody['x-max-bytes'],
})

function answerOf(operation: Json): Json {
  const [, success] = Object.entries<Json>(operation.responses).find(([status]) => status.startsWith('2')) ?? []
  return success?.content ?? {}
}
