export interface Rational {
  num: number
  den: number
}

function commonDivisor(a: number, b: number): number {
  return b === 0 ? a : commonDivisor(b, a % b)
}

/** Returns a fraction in lowest terms. Both parts must be integers, `den` positive. */
export function rational(num: number, den = 1): Rational {
  const divisor = commonDivisor(Math.abs(num), den) || 1
  return { num: num / divisor, den: den / divisor }
}

/** Parses `30000/1001` or `4:3`; `null` for `0/0`, `0:1` and other text. */
export function parseRational(text: string | undefined): Rational | null {
  const [num, den] = (text ?? '').split(/[/:]/).map(Number)
  if (!num || !den || !Number.isSafeInteger(num) || !Number.isSafeInteger(den) || num < 0 || den < 0) return null
  return rational(num, den)
}

export function toNumber({ num, den }: Rational): number {
  return num / den
}

/** Returns `a / b` rounded to the nearest integer, halves up, exact for integers of any size. */
export function divideNear(a: bigint, b: bigint): number {
  const doubled = 2n * a + b
  const quotient = doubled / (2n * b)
  return Number(doubled < 0n && doubled % (2n * b) !== 0n ? quotient - 1n : quotient)
}

/** Converts `ticks` of `timeBase` seconds to the nearest frame number at `rate` frames per second. */
export function frameAt(ticks: number, timeBase: Rational, rate: Rational): number {
  const per = BigInt(timeBase.num) * BigInt(rate.num)
  return divideNear(BigInt(ticks) * per, BigInt(timeBase.den) * BigInt(rate.den))
}
