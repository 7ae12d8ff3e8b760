/** Remembers which real value stands for a value of an example. */
export type RealValues = Map<string, string>

/**
 * Returns how a response differs from the example in a guide; undefined if it does not. Every field of the example must be in the
 * response with the same type; `null` in the example stands for any value. With `exact`, words such as `ready`, true and false must
 * be equal as well.
 */
export function responseFault(
  example: unknown,
  real: unknown,
  exact: boolean,
  values: RealValues,
  path = 'response',
): string | undefined {
  if (example === null) return undefined
  if (Array.isArray(example)) {
    if (!Array.isArray(real)) return `${path} is no list`
    return firstFault(example.map((item, at) => responseFault(item, real[at], exact, values, `${path}[${at}]`)))
  }
  if (typeof example === 'object') {
    if (typeof real !== 'object' || real === null) return `${path} is ${JSON.stringify(real)}`
    const fields = real as Record<string, unknown>
    return firstFault(
      Object.entries(example).map(([name, value]) =>
        name in fields
          ? responseFault(value, fields[name], exact, values, `${path}.${name}`)
          : `${path}.${name} is missing`,
      ),
    )
  }
  if (typeof example !== typeof real) return `${path} is ${JSON.stringify(real)}`
  if (exact && isState(example) && example !== real) return `${path} is ${JSON.stringify(real)}, not ${example}`
  values.set(String(example), String(real))
  return undefined
}

const isState = (value: unknown): boolean =>
  typeof value === 'boolean' || (typeof value === 'string' && /^[a-z]+(_[a-z]+)*$/.test(value))

const firstFault = (faults: (string | undefined)[]): string | undefined => faults.find((fault) => fault !== undefined)
