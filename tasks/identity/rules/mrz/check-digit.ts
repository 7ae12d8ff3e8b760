/** Values of characters: digits their value, letters from 10, the filler 0 (ICAO 9303-3, 4.9). */
const values = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ'

const weights = [7, 3, 1]

export function checkDigit(text: string): string {
  const sum = [...text].reduce((all, one, i) => all + Math.max(0, values.indexOf(one)) * (weights[i % 3] ?? 0), 0)
  return String(sum % 10)
}
