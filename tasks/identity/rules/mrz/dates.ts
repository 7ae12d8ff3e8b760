/** Maximum number of years until expiry. Later dates belong to the previous century. */
const furthest = 50

/** Returns the date of six digits as `YYYY-MM-DD`. `null` if the date does not exist. */
function dayOf(digits: string, century: number): string | null {
  const [year, month, day] = [0, 2, 4].map((at) => Number(digits.slice(at, at + 2))) as [number, number, number]
  const date = new Date(Date.UTC(century + year, month - 1, day))
  const isDay = date.getUTCMonth() === month - 1 && date.getUTCDate() === day
  return isDay ? date.toISOString().slice(0, 10) : null
}

const isDigits = (text: string) => text.length === 6 && [...text].every((one) => one >= '0' && one <= '9')

/** Returns the date of birth for six digits: the latest possible date that is not in the future. */
export function birthDate(digits: string, now: Date): string | null {
  if (!isDigits(digits)) return null
  const [late, early] = [dayOf(digits, 2000), dayOf(digits, 1900)]
  return late !== null && late <= now.toISOString().slice(0, 10) ? late : early
}

export function expiryDate(digits: string, now: Date): string | null {
  if (!isDigits(digits)) return null
  const isAhead = 2000 + Number(digits.slice(0, 2)) <= now.getUTCFullYear() + furthest
  return dayOf(digits, isAhead ? 2000 : 1900)
}

export function ageOn(birth: string, now: Date): number {
  const today = now.toISOString().slice(0, 10)
  const years = Number(today.slice(0, 4)) - Number(birth.slice(0, 4))
  return today.slice(5) < birth.slice(5) ? years - 1 : years
}

/** True if a document has expired. It is still valid on its last day. */
export const hasExpired = (expiry: string, now: Date): boolean => expiry < now.toISOString().slice(0, 10)
