import { exportedName, goComment, parameterName } from './go-names.ts'
import type { GoTypes } from './go-types.ts'
import type { Method } from './methods.ts'

interface Place {
  methods: Method[]
  places: Map<string, Place>
}

const emptyPlace = (): Place => ({ methods: [], places: new Map() })

/** Returns the source of the areas, by area. The key `areas` has the table of all areas. */
export function renderGoAreas(methods: Method[], types: GoTypes): Map<string, string> {
  const root = emptyPlace()
  for (const method of methods) placeOf(root, method.node.slice(0, -1)).methods.push(method)
  const files = [...root.places].map(([area, place]): [string, string] => [area, serviceText([area], place, types)])
  return new Map([...files, ['areas', tableText([...root.places.keys()])]])
}

function placeOf(from: Place, [name, ...rest]: string[]): Place {
  if (name === undefined) return from
  const place = from.places.get(name) ?? emptyPlace()
  from.places.set(name, place)
  return placeOf(place, rest)
}

const serviceName = (path: string[]) => `${path.map(exportedName).join('')}Service`

function tableText(areas: string[]): string {
  const fields = areas.map((area) => `\t${exportedName(area)} *${serviceName([area])}\n`)
  const made = areas.map((area) => `\t\t${exportedName(area)}: new${serviceName([area])}(c),\n`)
  return `// Areas has every operation of the API, by area.
type Areas struct {
${fields.join('\n')}}

func newAreas(c *caller) Areas {
	return Areas{
${made.join('\n')}	}
}
`
}

function serviceText(path: string[], { methods, places }: Place, types: GoTypes): string {
  const name = serviceName(path)
  const names = [...places.keys()]
  const inner = [...places].map(([step, place]) => serviceText([...path, step], place, types))
  const fields = names.map((step) => `\t${exportedName(step)} *${serviceName([...path, step])}\n\n`)
  const made = names.map((step) => `\ts.${exportedName(step)} = new${serviceName([...path, step])}(c)\n`)
  return `// ${name} has the operations of ${path.join('.')}.
type ${name} struct {
${fields.join('')}	c *caller
}

func new${name}(c *caller) *${name} {
	s := &${name}{c: c}
${made.join('')}	return s
}
${methods.map((method) => `\n${methodText(method, name, types)}`).join('')}${inner.map((text) => `\n${text}`).join('')}`
}

/** Names of the types and arguments of a method. */
interface Typed {
  method: Method
  receiver: string
  name: string
  path: string[]
  given: string
  /** Query and body as arguments of the call. */
  query: string
  body: string
  reply: string
}

function methodText(method: Method, receiver: string, types: GoTypes): string {
  const typed = typedOf(method, receiver, types)
  if (method.paged) return pagedText(typed)
  if (!method.streams) return plainText(typed)
  if (!method.reply) return streamText(typed, typed.name)
  return `${plainText(typed)}\n${streamText(typed, `${typed.name}Stream`)}`
}

function typedOf(method: Method, receiver: string, types: GoTypes): Typed {
  const [area = ''] = method.node
  const whole = method.node.map(exportedName).join('')
  const path = method.pathParameters.map((parameter) => parameterName(parameter.name))
  const { bodyType, queryType } = goArguments(method, types)
  const parts = [
    'ctx context.Context',
    ...path.map((name) => `${name} string`),
    ...(bodyType ? [`body *${bodyType}`] : []),
    ...(queryType ? [`query *${queryType}`] : []),
    'options ...Option',
  ]
  return {
    method,
    receiver,
    name: exportedName(method.node.at(-1) as string),
    path,
    given: parts.join(', '),
    query: queryType ? 'query' : 'nil',
    body: bodyType ? 'body' : 'nil',
    reply: replyType(method, area, whole, types),
  }
}

/** Declares the types of the body and the query of a method. Returns their names. */
export function goArguments(method: Method, types: GoTypes): { bodyType?: string; queryType?: string } {
  const [area = ''] = method.node
  const whole = method.node.map(exportedName).join('')
  const declare = (schema: unknown, kind: string, text: string) =>
    types.declare(schema, area, `${whole}${kind}`, true, `${text} of ${method.id}.`)
  return {
    ...(method.body ? { bodyType: declare(bodySchema(method, types), 'Body', 'request body') } : {}),
    ...(method.query.length > 0 ? { queryType: declare(querySchema(method), 'Query', 'query') } : {}),
  }
}

function bodySchema(method: Method, types: GoTypes) {
  const { properties = {}, ...rest } = types.resolve(method.body?.schema)
  // The option WithIdempotencyKey sends the header instead.
  const { idempotency_key: _, ...others } = properties
  return { ...rest, properties: method.idempotent ? others : properties }
}

const querySchema = ({ query }: Method) => ({
  type: 'object',
  properties: Object.fromEntries(query.map(({ name, schema, description }) => [name, { ...schema, description }])),
  required: query.filter(({ required }) => required).map(({ name }) => name),
})

function replyType(method: Method, area: string, whole: string, types: GoTypes): string {
  if (!method.reply) return ''
  if (!method.paged) return types.of(method.reply, area, `${whole}Reply`, false)
  return types.of(types.resolve(method.reply).properties.data.items, area, `${whole}Item`, false)
}

function operationText({ verb, path, idempotent, repeatable, open }: Method): string {
  const parts = [
    `verb: ${JSON.stringify(verb)}`,
    `path: ${JSON.stringify(path)}`,
    ...(idempotent ? ['keyed: true'] : []),
    ...(repeatable ? ['repeatable: true'] : []),
    ...(open ? ['open: true'] : []),
  ]
  return `operation{${parts.join(', ')}}`
}

function argumentsText({ method, path, query, body }: Typed): string {
  const values = path.length > 0 ? `[]string{${path.join(', ')}}` : 'nil'
  return [operationText(method), values, query, ...(method.paged ? [] : [body]), 'options'].join(', ')
}

const docOf = ({ method }: Typed, name: string, more = '') =>
  goComment(`${name}: ${method.summary}. ${method.description ?? ''}${more}`)

const headText = (typed: Typed, name: string, result: string) =>
  `func (s *${typed.receiver}) ${name}(${typed.given}) ${result} {`

const pagedText = (typed: Typed) => `${docOf(typed, typed.name)}${headText(typed, typed.name, `*List[${typed.reply}]`)}
	return newList[${typed.reply}](ctx, s.c, ${argumentsText(typed)})
}
`

function plainText(typed: Typed): string {
  const { name, reply, method } = typed
  const [result, called] = reply
    ? [`(*${reply}, error)`, `callJSON[${reply}]`]
    : method.text
      ? ['(string, error)', 'callText']
      : ['error', 'callNothing']
  return `${docOf(typed, name)}${headText(typed, name, result)}
	return ${called}(ctx, s.c, ${argumentsText(typed)})
}
`
}

function streamText(typed: Typed, name: string): string {
  const hasSwitch = typed.method.reply && typed.body !== 'nil'
  const set = hasSwitch ? '\tstreamed := *body\n\tstreamed.Stream = Some(true)\n' : ''
  return `${docOf(typed, name, ' Returns the events as they arrive.')}${headText(typed, name, '*EventStream')}
${set}	return newEventStream(ctx, s.c, ${argumentsText(hasSwitch ? { ...typed, body: '&streamed' } : typed)})
}
`
}
