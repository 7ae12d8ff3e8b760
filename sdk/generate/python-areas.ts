import { className, pythonText } from './python-names.ts'
import type { Argument, PythonMethod } from './python-operations.ts'

export interface Manner {
  awaited: boolean
}

interface Place {
  methods: PythonMethod[]
  places: Map<string, Place>
}

const emptyPlace = (): Place => ({ methods: [], places: new Map() })

export function areaModules(methods: PythonMethod[], manner: Manner): Map<string, string> {
  const root = emptyPlace()
  for (const one of methods) placeOf(root, one.method.python.slice(0, -1)).methods.push(one)
  const modules = [...root.places].map(([area, place]): [string, string] => [area, areaModule(area, place, manner)])
  return new Map([...modules, ['__init__', tableModule([...root.places.keys()], manner)]])
}

function placeOf(from: Place, [name, ...rest]: string[]): Place {
  if (name === undefined) return from
  const place = from.places.get(name) ?? emptyPlace()
  from.places.set(name, place)
  return placeOf(place, rest)
}

const prefix = ({ awaited }: Manner) => (awaited ? 'Async' : '')
const classOf = (path: string[], manner: Manner) => prefix(manner) + className(path.join('-').replaceAll('_', '-'))

const head = '# Made by `npm run sdk` from the document of the API.\n'

function tableModule(areas: string[], manner: Manner): string {
  const caller = `${prefix(manner)}Caller`
  const imports = areas.map((area) => `from .${area} import ${classOf([area], manner)}\n`).join('')
  const fields = areas.map((area) => `        self.${area} = ${classOf([area], manner)}(caller)\n`).join('')
  return `${head}from ..caller import ${caller}
${imports}

class ${prefix(manner)}Areas:
    """Every area of the API."""

    def __init__(self, caller: ${caller}) -> None:
${fields}`
}

function areaModule(area: string, place: Place, manner: Manner): string {
  const classes = classText([area], place, manner)
  const types = [...new Set(classes.match(/\b\w+(?=_types\.)/g) ?? [])].sort()
  const typing = ['Any', 'Coroutine', 'Dict', 'List', 'Literal', 'Mapping', 'overload'].filter((name) =>
    new RegExp(`\\b${name}\\b`).test(classes),
  )
  const lines = [
    ...(typing.length > 0 ? [`from typing import ${typing.join(', ')}`, ''] : []),
    'from ... import _operations as operations',
    ...(classes.includes('UNSET') ? ['from ..._operation import UNSET, Unset'] : []),
    ...types.map((other) => `from ...types import ${other} as ${other}_types`),
    `from ..caller import ${prefix(manner)}Caller`,
    ...(classes.includes('EventStream') ? [`from ..events import ${prefix(manner)}EventStream`] : []),
    ...(classes.includes('Page[')
      ? [`from ..${manner.awaited ? 'pending_page' : 'pages'} import ${pagerOf(manner)}`]
      : []),
  ]
  return `${head}from __future__ import annotations\n\n${lines.join('\n')}\n\n\n${classes}`
}

const pagerOf = ({ awaited }: Manner) => (awaited ? 'AsyncPendingPage' : 'Page')

function classText(path: string[], { methods, places }: Place, manner: Manner): string {
  const inner = [...places].map(([name, place]) => classText([...path, name], place, manner))
  const fields = [...places.keys()].map(
    (name) => `        self.${name} = ${classOf([...path, name], manner)}(caller)\n`,
  )
  const own = `class ${classOf(path, manner)}:
    def __init__(self, caller: ${prefix(manner)}Caller) -> None:
        self._caller = caller
${fields.join('')}
${methods.map((one) => methodText(one, manner)).join('\n')}`
  return [...inner, own]
    .map((text) => text.trimEnd())
    .join('\n\n\n')
    .concat('\n')
}

function methodText(one: PythonMethod, manner: Manner): string {
  const { method, reply } = one
  const stream = `${prefix(manner)}EventStream`
  if (method.paged)
    return definition(one, one.arguments, {
      result: `${pagerOf(manner)}[${reply}]`,
      call: 'page',
      pending: manner.awaited,
    })
  if (method.streams && !method.reply) return definition(one, one.arguments, { result: stream, call: 'events' })
  if (method.streams) return streamedText(one, manner, stream)
  return definition(one, one.arguments, { result: reply, call: 'call', ...manner })
}

function streamedText(one: PythonMethod, manner: Manner, stream: string): string {
  const others = one.arguments.filter(({ wire }) => wire !== 'stream')
  const args = (type: string, required: boolean): Argument[] => [
    ...others.filter((argument) => argument.required),
    { wire: 'stream', name: 'stream', type, required },
    ...others.filter((argument) => !argument.required),
  ]
  const whole = manner.awaited ? `Coroutine[Any, Any, ${one.reply}]` : one.reply
  const heads = [
    signature(one, args('Literal[True]', true), stream),
    signature(one, args('Literal[False]', false), whole),
  ].map((text) => `    @overload\n${text} ...\n\n`)
  return (
    heads.join('') +
    definition(one, args('bool', false), { result: `${whole} | ${stream}`, call: 'call', or: 'events' })
  )
}

function signature(one: PythonMethod, args: Argument[], result: string, awaited = false): string {
  const { method, path, open } = one
  const given = [
    'self',
    ...path.map((name) => `${name}: str`),
    ...(path.length > 0 ? ['/'] : []),
    '*',
    ...args.map(({ name, type, required }) => (required ? `${name}: ${type}` : `${name}: ${type} | Unset = UNSET`)),
    ...(method.idempotent ? ['idempotency_key: str | None = None'] : []),
    'timeout: float | None = None',
    ...(takesMore(one) ? ['extra_fields: Mapping[str, Any] | None = None'] : []),
    ...(open ? ['**fields: Any'] : []),
  ]
  const lines = given
    .map((one) => `        ${one},\n`)
    .join('')
    .replace(/,\n$/, open ? '\n' : ',\n')
  return `    ${awaited ? 'async ' : ''}def ${method.python.at(-1)}(\n${lines}    ) -> ${result}:`
}

/** Returns true if a method accepts fields that this version of the client does not know. */
const takesMore = ({ method, open }: PythonMethod) => !open && (method.body !== undefined || method.query.length > 0)

interface Call {
  result: string
  call: string
  awaited?: boolean
  /** True if the result must be awaited before it is a page. */
  pending?: boolean
  /** Called instead of `call` if the argument `stream` is true. */
  or?: string
}

function definition(one: PythonMethod, args: Argument[], { result, call, awaited, pending, or }: Call): string {
  const called = calledText(one, args, call)
  const returned = pending ? `AsyncPendingPage(${called})` : called
  const streamed = or
    ? `        if stream is True:\n            return ${calledText(one, args, or).replaceAll('\n', '\n    ')}\n`
    : ''
  return `${signature(one, args, result, awaited)}
${docOf(one, args)}${streamed}        return ${awaited ? 'await ' : ''}${returned}
`
}

function calledText(one: PythonMethod, args: Argument[], call: string): string {
  const { method, constant, path, open } = one
  const fields = args.map(({ wire, name }) => `                ${JSON.stringify(wire)}: ${name},\n`)
  if (takesMore(one)) fields.push('                **(extra_fields or {}),\n')
  if (open) fields.push('                **fields,\n')
  const given = [
    `operations.${constant}`,
    `(${path.map((name) => `${name},`).join(' ')})`,
    fields.length > 0 ? `{\n${fields.join('')}            }` : '{}',
    ...(method.idempotent ? ['idempotency_key=idempotency_key'] : []),
    'timeout=timeout',
  ]
  return `self._caller.${call}(\n${given.map((argument) => `            ${argument},\n`).join('')}        )`
}

function docOf({ method }: PythonMethod, args: Argument[]): string {
  const described = args.filter(({ description }) => description)
  const lines = [
    `${method.summary}.`,
    ...(method.description ? ['', ...method.description.split('\n')] : []),
    ...(described.length > 0 ? ['', ...described.map(({ name, description }) => `${name}: ${description}`)] : []),
  ]
  const text = pythonText(lines.join('\n')).split('\n')
  const indented = text.map((line, i) => (i === 0 || line === '' ? line : `        ${line}`)).join('\n')
  return `        """${indented}${text.length > 1 ? '\n        ' : ''}"""\n`
}
