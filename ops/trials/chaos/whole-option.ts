/**
 * Returns the whole number of a command's option. If the number is invalid or too small, ends the process with an
 * error.
 */
export function readWholeOption(values: Readonly<Record<string, unknown>>, name: string, least: number): number {
  const value = Number(values[name])
  if (Number.isInteger(value) && value >= least) return value
  console.error(`--${name} must be a whole number, at least ${least}.`)
  process.exit(1)
}
