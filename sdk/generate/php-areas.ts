import type { Method, Parameter } from './methods.ts'
import { phpClass, phpComment, phpText, phpVariable } from './php-names.ts'
import type { PhpTypes } from './php-types.ts'

interface Place {
  methods: Method[]
  places: Map<string, Place>
}

const emptyPlace = (): Place => ({ methods: [], places: new Map() })

/** Returns the classes of the areas by their names below `Millrace`: `Areas/Push`, `Areas/Push/Messages`. */
export function renderPhpAreas(methods: Method[], types: PhpTypes): Map<string, string> {
  const root = emptyPlace()
  for (const method of methods) placeOf(root, method.node.slice(0, -1)).methods.push(method)
  return new Map(classesOf(['areas'], root, types))
}

function placeOf(from: Place, [name, ...rest]: string[]): Place {
  if (name === undefined) return from
  const place = from.places.get(name) ?? emptyPlace()
  from.places.set(name, place)
  return placeOf(place, rest)
}

function classesOf(path: string[], place: Place, types: PhpTypes): [string, string][] {
  const inner = [...place.places].flatMap(([name, one]) => classesOf([...path, name], one, types))
  return [[path.map(phpClass).join('/'), classText(path, place, types)], ...inner]
}

function classText(path: string[], { methods, places }: Place, types: PhpTypes): string {
  const names = path.map(phpClass)
  const body = methods.map((method) => methodText(method, types)).join('\n')
  const own = (name: string) => `\\${['Millrace', ...names, phpClass(name)].join('\\')}`
  const parts = [...places.keys()].map((name) => `@property-read ${own(name)} $${name}`)
  const table = [...places.keys()].map((name) => `        '${name}' => ${own(name)}::class,\n`)
  const options = body.includes('Options $options') ? ['@phpstan-import-type Options from Transport'] : []
  const lines = [
    path.length === 1 ? 'Every operation of the API, by area.' : `The operations of \`${path.slice(1).join('.')}\`.`,
    '',
    ...parts,
    ...options,
    ...types.imports(body),
  ]
  const constant = table.length > 0 ? `    protected const PLACES = [\n${table.join('')}    ];\n` : ''
  const used = ['EventStream', 'Listing', 'Operation', 'Place', 'Transport'].filter((name) =>
    new RegExp(`\\b${name}\\b`).test(`${lines.join('\n')}${body} Place`),
  )
  const isInside = path.length > 1
  return `namespace ${['Millrace', ...names.slice(0, -1)].join('\\')};

${isInside ? `${used.map((name) => `use Millrace\\${name};\n`).join('')}\n` : ''}${phpComment(lines, '')}final class ${names.at(-1)} extends Place
{
${[constant, body].filter((text) => text !== '').join('\n')}}
`
}

function methodText(method: Method, types: PhpTypes): string {
  if (method.streams && method.reply) return `${called(method, types, 'json')}\n${called(method, types, 'events')}`
  if (method.streams) return called(method, types, 'events')
  if (method.paged) return called(method, types, 'list')
  return called(method, types, method.reply ? 'json' : 'text')
}

type Way = 'json' | 'events' | 'list' | 'text'

function called(method: Method, types: PhpTypes, way: Way): string {
  const { reply, node, text } = method
  const isSecond = way === 'events' && reply !== undefined
  const path = method.pathParameters.map((parameter) => phpVariable(parameter.name))
  const field = fieldOf(method)
  const given = [
    ...path.map((one) => `string $${one}`),
    ...(field ? [`array $${field}${hasRequired(method, types) ? '' : ' = []'}`] : []),
    'array $options = []',
  ]
  const [native, result] = resultOf(method, types, way)
  const passed = [
    operationText(method),
    ...(path.length > 0 ? [`[${path.map((one) => `$${one}`).join(', ')}]`] : []),
    ...(field ? [`${field}: ${isSecond ? "['stream' => true] + $body" : `$${field}`}`] : []),
    'options: $options',
  ]
  const returns = way === 'text' && !text ? '' : 'return '
  return `${docText(method, types, field, result)}    public function ${node.at(-1)}${isSecond ? 'Stream' : ''}(${given.join(', ')}): ${native}
    {
        ${returns}$this->transport->${way}(${passed.join(', ')});
    }
`
}

/** Returns the name of the argument with the fields of a method. */
const fieldOf = ({ body, query }: Method) => (body ? 'body' : query.length > 0 ? 'query' : undefined)

const hasRequired = ({ body, query }: Method, types: PhpTypes): boolean =>
  body ? (types.resolve(body.schema).required ?? []).length > 0 : query.some((one) => one.required)

function resultOf(method: Method, types: PhpTypes, way: Way): [native: string, doc: string] {
  if (way === 'events') return ['EventStream', 'EventStream']
  if (way === 'text') return method.text ? ['string', 'string'] : ['void', 'void']
  if (way === 'json') return [types.native(method.reply), types.of(method.reply)]
  return ['Listing', `Listing<${types.of(types.resolve(method.reply).properties.data.items)}>`]
}

function operationText({ verb, path, idempotent, repeatable, open }: Method): string {
  const parts = [
    `'${verb}'`,
    `'${path}'`,
    ...(idempotent ? ['keyed: true'] : []),
    ...(repeatable ? ['repeatable: true'] : []),
    ...(open ? ['open: true'] : []),
  ]
  return `new Operation(${parts.join(', ')})`
}

function docText(method: Method, types: PhpTypes, field: string | undefined, result: string): string {
  const schema = method.body ? types.resolve(method.body.schema) : querySchema(method.query)
  const described = Object.entries<{ description?: string }>(schema.properties ?? {})
    .filter(([, { description }]) => description)
    .map(([name, { description = '' }]) => `- \`${name}\`: ${phpText(description).replace(/\s+/g, ' ')}`)
  const lines = [
    `${phpText(method.summary)}.`,
    ...(method.description ? ['', ...phpText(method.description).split('\n')] : []),
    ...(field && described.length > 0 ? ['', ...described] : []),
    '',
    ...(field ? [`@param ${types.of(schema)} $${field}`] : []),
    '@param Options $options',
    ...(result === 'void' || result === 'string' || result === 'EventStream' ? [] : [`@return ${result}`]),
  ]
  return phpComment(lines, '    ')
}

const querySchema = (query: Parameter[]) => ({
  type: 'object',
  properties: Object.fromEntries(query.map(({ name, schema, description }) => [name, { ...schema, description }])),
  required: query.filter(({ required }) => required).map(({ name }) => name),
})
