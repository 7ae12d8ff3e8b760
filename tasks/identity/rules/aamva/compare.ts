import type { DocumentCheck, DocumentFacts } from '#sql/identity/readings.ts'

/** Compares the barcode with the machine-readable lines of the same image. Lines contain no diacritics. */
export function compareWithLines(barcode: DocumentFacts, lines: DocumentFacts): DocumentCheck {
  const isSame = (a: string | null, b: string | null) => a === null || b === null || a === b
  return {
    check: 'lines_match',
    passed:
      isSame(barcode.birth_date, lines.birth_date) &&
      isSame(barcode.expiry_date, lines.expiry_date) &&
      lettersOf(barcode.surname) === lettersOf(lines.surname),
  }
}

const lettersOf = (name: string): string =>
  [...name.normalize('NFD').toUpperCase()].filter((one) => one >= 'A' && one <= 'Z').join('')
