import type { Contract } from './document.ts'

/** Returns the source file of the operations that the outbox can call: all that accept an idempotency key. */
export function renderNodeOutbox({ methods }: Contract): string {
  const rows = methods
    .filter(({ idempotent }) => idempotent)
    .map(({ id, node, verb, path, body }) => {
      const kind = body === undefined ? 'none' : body.required ? 'required' : 'optional'
      const alias = node.join('.') === id ? '' : `, '${node.join('.')}'`
      return `  ['${id}', '${verb}', '${path}', '${kind}', ${body?.maxBytes ?? 0}${alias}],\n`
    })
    .sort()
  return `/** Name, verb, path, use of the body, maximum size of the body in bytes, and name in the client if it differs. */
export type OutboxOperation = readonly [
  name: string,
  verb: string,
  path: string,
  body: 'required' | 'optional' | 'none',
  maxBytes: number,
  alias?: string,
]

/** Every operation that accepts an idempotency key. */
export const outboxOperations: readonly OutboxOperation[] = [
${rows.join('')}]
`
}
