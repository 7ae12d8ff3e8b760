/** A class of kubernetes-models, which knows the schema of its kind. */
export type Kind = new (data: never) => { validate(): void }

/**
 * The paths of an object's fields that its schema does not have, as `kubeconform -strict` tells them: the schema itself lets them pass,
 * and a cluster drops them, a misspelt one too. The validators of kubernetes-models read every field that they know by its name, and
 * those of maps one after the other, so that what they never read is unknown to them. Throws what they find wrong.
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
