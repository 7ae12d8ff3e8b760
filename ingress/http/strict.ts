import { z } from 'zod'

/** As much of a zod definition as the walk below looks at. */
interface Definition {
  type: string
  shape?: Record<string, z.ZodType>
  catchall?: z.ZodType
  element?: z.ZodType
  innerType?: z.ZodType
  valueType?: z.ZodType
  options?: z.ZodType[]
  items?: z.ZodType[]
  in?: z.ZodType
}

/** The inner schemas of each kind, by the names they have in its definition; of a pipe, the side that sees the input. */
const inner = ['element', 'innerType', 'valueType', 'in'] as const

/**
 * The schema with every plain object in it refusing fields it does not declare: an optional field that is misspelt must not
 * be ignored in silence. An object declared loose, or with a catch-all, stays as it is; so do the sides of an
 * intersection, each of which would refuse the other's fields.
 */
export function strict<S extends z.ZodType>(schema: S): S {
  const def = schema.def as unknown as Definition
  const changes: Partial<Definition> = {}
  if (def.type === 'intersection') return schema
  if (def.type === 'object' && def.catchall === undefined) changes.catchall = z.never()
  if (def.shape) changes.shape = mapValues(def.shape)
  if (def.options) changes.options = def.options.map(strict)
  if (def.items) changes.items = def.items.map(strict)
  for (const name of inner) {
    const part = def[name]
    if (part) changes[name] = strict(part)
  }
  if (Object.keys(changes).length === 0) return schema
  // With its parent, it keeps descriptions.
  return schema.clone({ ...def, ...changes } as unknown as Parameters<S['clone']>[0], { parent: true }) as S
}

function mapValues(shape: Record<string, z.ZodType>): Record<string, z.ZodType> {
  return Object.fromEntries(Object.entries(shape).map(([name, part]) => [name, strict(part)]))
}
