/** Years ahead for which a document may still hold; what is further on was of the century before. */
const furthest = 50

/** The day that six digits name, as `YYYY-MM-DD`; null where there is none. */
function dayOf(digits: string, century: number): string | null {
  const [year, month, day] = [0, 2, 4].map((at) => Number(digits.slice(at, at + 2))) as [number, number, number]
  const date = new Date(Date.UTC(century + year, month - 1, day))
  const isDay = date.getUTCMonth() === month - 1 && date.getUTCDate() === day
  return isDay ? date.toISOString().slice(0, 10) : null
}

const isDigits = (text: string) => text.length === 6 && [...text].every((one) => one >= '0' && one <= '9')

/** A day of birth out of its six digits: the last such day that is not to come. */
export function birthDate(digits: string, now: Date): string | null {
  if (!isDigits(digits)) return null
  const [late, early] = [dayOf(digits, 2000), dayOf(digits, 1900)]
  return late !== null && late <= now.toISOString().slice(0, 10) ? late : early
}

/** A day of expiry out of its six digits. */
export function expiryDate(digits: string, now: Date): string | null {
  if (!isDigits(digits)) return null
  const isAhead = 2000 + Number(digits.slice(0, 2)) <= now.getUTCFullYear() + furthest
  return dayOf(digits, isAhead ? 2000 : 1900)
}

/** Whole years from one day to another. */
export function ageOn(birth: string, now: Date): number {
  const today = now.toISOString().slice(0, 10)
  const years = Number(today.slice(0, 4)) - Number(birth.slice(0, 4))
  return today.slice(5) < birth.slice(5) ? years - 1 : years
}

/** Whether a document that ends on a day has ended: it holds on that day. */
export const isOver = (expiry: string, now: Date): boolean => expiry < now.toISOString().slice(0, 10)
