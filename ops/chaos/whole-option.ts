/** The whole number of a command's option; ends the process with a sentence when it is none, or less than it may be. */
export function wholeOption(values: Readonly<Record<string, unknown>>, name: string, least: number): number {
  const value = Number(values[name])
  if (Number.isInteger(value) && value >= least) return value
  console.error(`--${name} must be a whole number, at least ${least}.`)
  process.exit(1)
}
