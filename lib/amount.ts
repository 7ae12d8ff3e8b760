/** Number of units in 1 of a currency. Amounts of money are integers of billionths, so that they are exact. */
const unit = 1_000_000_000n

/** Largest amount: 9,007,199 of a currency. Its billionths are a safe integer. */
const most = 9_007_199n * unit

/**
 * Parses a decimal, such as `12.50`, to billionths. Returns undefined if the text is not a decimal with up to 9 places,
 * or is more than 9,007,199.
 */
export function parseAmount(text: string): number | undefined {
  const [, whole, places = ''] = /^(\d{1,7})(?:\.(\d{1,9}))?$/.exec(text) ?? []
  if (whole === undefined) return undefined
  const amount = BigInt(whole) * unit + BigInt(places.padEnd(9, '0'))
  return amount > most ? undefined : Number(amount)
}

/** Returns billionths as a decimal without trailing zeros, such as `12.5`. */
export function formatAmount(amount: number): string {
  const whole = BigInt(amount) / unit
  const places = String(BigInt(amount) % unit).padStart(9, '0')
  let end = places.length
  while (places[end - 1] === '0') end--
  return end === 0 ? String(whole) : `${whole}.${places.slice(0, end)}`
}
