import { type ParseArgsConfig, parseArgs } from 'node:util'
import { type Benchmark, InvalidOptionError } from './benchmark.ts'

type Accepted = Pick<Benchmark, 'options' | 'names'>

/** Returns the numbers of all options, and the names. Throws `InvalidOptionError`. */
export function parseOptions(
  { options, names }: Accepted,
  args: readonly string[],
): { numbers: Record<string, number>; names: readonly string[] } {
  const strings = Object.entries(options).map(([option, { default: usual }]) => [
    option,
    { type: 'string' as const, default: String(usual) },
  ])
  const { values, positionals } = parseStrictly({
    args: [...args],
    options: Object.fromEntries(strings),
    allowPositionals: names !== undefined,
  })
  const numbers = Object.entries(values).map(([option, text]) => {
    const value = Number(text)
    if (!(value > 0)) throw new InvalidOptionError(`--${option} must be a number above 0.`)
    return [option, value]
  })
  return { numbers: Object.fromEntries(numbers), names: positionals }
}

function parseStrictly<const T extends ParseArgsConfig>(given: T) {
  try {
    return parseArgs(given)
  } catch (error) {
    if (!(error instanceof TypeError && 'code' in error && String(error.code).startsWith('ERR_PARSE_ARGS'))) throw error
    throw new InvalidOptionError(`${error.message}\nnpm run bench lists the options of each benchmark.`)
  }
}
