import { ForTag } from 'liquidjs'
import { eachError } from './faults.ts'

interface Loop {
  variable: string
  collection: { getText(): string }
  hash: { hash: object }
}

interface Scopes {
  scopes: Record<string, unknown>[]
}

/** A missing variable of an item is named by its place in the data: `order.items[0].count`, not `item.count`. */
export class OwnFor extends ForTag {
  override *render(...given: Parameters<ForTag['render']>): ReturnType<ForTag['render']> {
    const { scopes } = given[0] as unknown as Scopes
    const depth = scopes.length
    try {
      return yield* super.render(...given) as Generator<unknown, string, unknown>
    } catch (error) {
      nameItem(error as Error, this as unknown as Loop, scopes, depth)
      // Liquid leaves the scopes of a failed loop, so that later variables would be found in them.
      scopes.length = depth
      throw error
    }
  }
}

function nameItem(error: Error, loop: Loop, scopes: Scopes['scopes'], depth: number): void {
  const { variable, collection } = loop
  const place = findPlace(loop, scopes, depth)
  for (const one of eachError(error)) {
    if (one.name !== 'UndefinedVariableError' || one.isOfPartial) continue
    const name = one.path ?? one.token?.getText?.() ?? ''
    const rest = name.slice(variable.length)
    if (!name.startsWith(variable) || !/^(?:[.[]|$)/.test(rest)) continue
    one.path = place === undefined ? `${name} (in the loop over ${collection.getText()})` : `${place}${rest}`
  }
}

/** Returns the place of the current item. Only a list of the data, in its own order, has places that the caller knows. */
function findPlace({ collection, hash }: Loop, scopes: Scopes['scopes'], depth: number): string | undefined {
  const list = collection.getText()
  const [root = ''] = /^[^.[]*/.exec(list) ?? []
  const isOfData = /^[\p{L}_]/u.test(list) && scopes[0]?.[root] === undefined
  const forloop = scopes[depth]?.forloop as { index0(): number } | undefined
  return isOfData && forloop && Object.keys(hash.hash).length === 0 ? `${list}[${forloop.index0()}]` : undefined
}
