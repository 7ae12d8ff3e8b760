import type { ReferenceOperation } from './reference.ts'

// biome-ignore lint/suspicious/noExplicitAny: the shape of an OpenAPI document.
type Json = any

/** Returns the OpenAPI document of one area as JSON. Each operation has its calls in `x-codeSamples`. */
export function areaDocument(text: string, area: string, operations: readonly ReferenceOperation[]): string {
  const { webhooks: _, ...document }: Json = JSON.parse(text)
  const calls = new Map(operations.filter((one) => one.area.name === area).map((one) => [one.id, one.snippets]))
  const paths = Object.entries<Json>(document.paths).map(([path, item]) => {
    const own = Object.entries<Json>(item).filter(([, { operationId }]) => calls.has(operationId))
    const shown = own.map(([verb, one]) => [verb, { ...one, 'x-codeSamples': calls.get(one.operationId) }])
    return [path, Object.fromEntries(shown)] as const
  })
  const tags = document.tags.filter(({ name }: { name: string }) => name === area)
  const served = paths.filter(([, item]) => Object.keys(item).length > 0)
  return JSON.stringify({ ...document, tags, paths: Object.fromEntries(served) })
}
