import { referenceUrl } from '../../http/openapi/viewer.ts'
import type { Reference, ReferenceOperation } from './reference.ts'
import { type Field, type Schema, type Shape, shapeOf } from './shapes.ts'

/** Returns an operation as Markdown, in the order of its HTML page. */
export function operationMarkdown(operation: ReferenceOperation, { components }: Reference): string {
  const { method, answer, problems, scopes, headers } = operation
  const shape = (schema: Schema) => shapeOf(schema, components)
  const parameters = (
    title: string,
    list: readonly { name: string; required?: boolean; description?: string; schema: Schema }[],
  ) =>
    list.length === 0
      ? []
      : [
          `## ${title}`,
          list
            .map((one) =>
              line(
                { ...shape(one.schema), ...withDescription(one), name: one.name, required: one.required ?? false },
                '',
              ),
            )
            .join(''),
        ]
  return [
    `# ${method.summary}`,
    `\`${method.verb} ${method.path}\` (operation \`${operation.id}\`)`,
    ...(method.description ? [method.description] : []),
    method.open
      ? 'This operation needs no API key.'
      : `Required scope: ${scopes.map((scope) => `\`${scope}\``).join(' and ')}.`,
    ...parameters('Path parameters', method.pathParameters),
    ...parameters('Query parameters', method.query),
    ...parameters('Headers', headers),
    ...(method.body ? ['## Body', operation.bodyNote ?? '', value(shape(method.body.schema))] : []),
    `## Response ${answer.status}`,
    ...answer.contents.map(({ type, schema }) => (type === 'application/json' ? value(shape(schema)) : `\`${type}\``)),
    ...(answer.sample === undefined ? [] : [fenced('json', JSON.stringify(answer.sample, undefined, 2))]),
    '## Errors',
    problems.map(({ status, code, when }) => `- ${status} \`${code}\`: ${when}\n`).join(''),
    '## Calls',
    ...operation.snippets.map(({ lang, source }) => fenced(lang.toLowerCase(), source)),
  ]
    .filter(Boolean)
    .map((part) => part.trimEnd())
    .join('\n\n')
    .concat('\n')
}

const withDescription = ({ description }: { description?: string }) => (description ? { description } : {})

const fenced = (language: string, code: string) => `\`\`\`${language}\n${code}\n\`\`\``

const value = (shape: Shape): string => fieldLines(shape) || [shape.type, ...shape.notes, ...allowed(shape)].join(', ')

const allowed = ({ values }: Shape): string[] =>
  values.length > 0 ? [`one of ${values.map((one) => `\`${one}\``).join(' ')}`] : []

/** Returns the fields as a nested list. */
export function fieldLines({ fields, choices }: Shape, indent = ''): string {
  const forms = choices.map(
    (choice) => `${indent}- alternative \`${choice.title}\`:\n${fieldLines(choice, `${indent}  `)}`,
  )
  return [...fields.map((field) => line(field, indent)), ...forms].join('')
}

function line(field: Field, indent: string): string {
  const { name, type, required, description } = field
  const facts = [type, ...field.notes, ...(required ? ['required'] : []), ...allowed(field)].join(', ')
  const first = `${indent}- \`${name}\` (${facts})${description ? `: ${description.replaceAll('\n', ' ')}` : ''}\n`
  return first + fieldLines(field, `${indent}  `)
}

export const areaMarkdown = (title: string, description: string, operations: readonly ReferenceOperation[]): string =>
  `# ${title}: reference\n\n${description}\n\n${operations
    .map(({ id, method }) => `- [\`${method.verb} ${method.path}\`](${referenceUrl(id)}.md): ${method.summary}\n`)
    .join('')}`
