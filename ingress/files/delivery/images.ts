import type { Context } from 'koa'
import type { Deliverable } from '#sql/files/deliveries.ts'

/** Names of the query parameters that request a transformation. */
const parameters = ['w', 'h', 'fit', 'format', 'q', 'dpr'] as const

export type TransformationParams = Readonly<Partial<Record<(typeof parameters)[number], string>>>

/** Returns the transformation parameters of a request. `null` if there are none. */
export function readTransformation(query: URLSearchParams): TransformationParams | null {
  const given = parameters.flatMap((name) => (query.has(name) ? [[name, query.get(name) ?? '']] : []))
  return given.length === 0 ? null : Object.fromEntries(given)
}

/**
 * Sends a transformed image. Called after the authority, the name and the host are checked. Returns false if the
 * version is served unchanged.
 */
export async function transformation(
  _ctx: Context,
  _version: Deliverable,
  _params: TransformationParams,
): Promise<boolean> {
  return false
}
