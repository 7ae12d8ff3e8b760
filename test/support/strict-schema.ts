/** A class of kubernetes-models, which knows the schema of its kind. */
export type Kind = new (data: never) => { validate(): void }

/**
 * Returns the paths of an object’s fields that are not in its schema, like `kubeconform -strict`. The schema accepts
 * them, but a cluster drops them, even if they are misspelt. The validators of kubernetes-models read every known field
 * by its name, and map entries one after the other, so fields that are never read are unknown. Throws validation
 * errors.
 */
export function unknownFields(kind: Kind, object: object): string[] {
  const known = new Set<string>()
  kind.prototype.validate.call(watched(object, '', known))
  return fieldsOf(object, '').filter((path) => !known.has(path))
}

function watched<T extends object>(object: T, path: string, known: Set<string>): T {
  return new Proxy(object, {
    get(target, key, receiver) {
      const value: unknown = Reflect.get(target, key, receiver)
      if (typeof key !== 'string') return value
      const below = `${path}/${key}`
      known.add(below)
      return typeof value === 'object' && value !== null ? watched(value, below, known) : value
    },
  })
}

function fieldsOf(value: unknown, path: string): string[] {
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value).flatMap(([key, below]) => [`${path}/${key}`, ...fieldsOf(below, `${path}/${key}`)])
}
