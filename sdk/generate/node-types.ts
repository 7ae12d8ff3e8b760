import type { Contract } from './document.ts'
import type { Method, Parameter } from './methods.ts'
import { renderComment, type Schema, typeOf } from './typescript.ts'

const pascal = (parts: string[]) =>
  parts
    .flatMap((part) => part.split(/[^A-Za-z0-9]+/))
    .map((word) => word.charAt(0).toUpperCase() + word.slice(1))
    .join('')

/** Returns the type name of a schema: `push.Message` becomes `PushMessage`. */
export const schemaName = (id: string): string => pascal(id.split('.'))

export const bodyName = (method: Method): string => `${pascal(method.node)}Body`
export const queryName = (method: Method): string => `${pascal(method.node)}Query`

export function getReplyType(method: Method): { name: string; own?: Schema } {
  if (!method.reply) return { name: 'void' }
  const schema = method.paged ? method.reply.properties.data.items : method.reply
  if (schema.$ref) return { name: schemaName(schema.$ref.split('/').at(-1)) }
  return { name: pascal(method.node) + (method.paged ? 'Item' : 'Reply'), own: schema }
}

/** True if the body has no required fields. */
export const isOptionalBody = (method: Method): boolean =>
  !method.body?.required || (method.body.schema.required ?? []).length === 0

export function renderNodeTypes({ methods, schemas }: Contract): string {
  const named = Object.entries(schemas).map(([id, schema]) => declaration(schemaName(id), schema))
  const own = methods.flatMap((method) => [
    ...(method.body ? [declaration(bodyName(method), method.body.schema, `Request body of \`${method.id}\`.`)] : []),
    ...(method.query.length > 0
      ? [declaration(queryName(method), querySchema(method), `Query of \`${method.id}\`.`)]
      : []),
    ...ownReply(method),
  ])
  return [...named, ...own].join('\n')
}

function ownReply(method: Method): string[] {
  const { name, own } = getReplyType(method)
  if (!own) return []
  return [
    declaration(name, own, method.paged ? `An item of the list \`${method.id}\`.` : `Response of \`${method.id}\`.`),
  ]
}

const querySchema = ({ query }: Method): Schema => ({
  type: 'object',
  properties: Object.fromEntries(
    query.map(({ name, schema, description }: Parameter) => [name, { ...schema, description }]),
  ),
  required: query.filter(({ required }) => required).map(({ name }) => name),
})

const declaration = (name: string, schema: Schema, comment?: string): string =>
  `${renderComment(schema.description ?? comment ?? '', '')}export type ${name} = ${typeOf(schema, '', schemaName)}\n`
