/** Characters with which a spreadsheet starts a formula. A tab or a carriage return before one is skipped. */
const formula = /^[=+\-@\t\r]/

const special = /[",\r\n]/

/**
 * Returns a line of a CSV file (RFC 4180). A value that a spreadsheet would run as a formula starts with an apostrophe,
 * which spreadsheets do not show.
 */
export const writeCsvLine = (values: readonly (string | number | null)[]): string =>
  `${values.map(cellOf).join(',')}\r\n`

function cellOf(value: string | number | null): string {
  if (value === null) return ''
  if (typeof value === 'number') return String(value)
  const text = formula.test(value) ? `'${value}` : value
  return special.test(text) ? `"${text.replaceAll('"', '""')}"` : text
}

/** Removes the apostrophe that `writeCsvLine` adds. */
export const readCsvCell = (text: string): string => (/^'[=+\-@\t\r]/.test(text) ? text.slice(1) : text)
