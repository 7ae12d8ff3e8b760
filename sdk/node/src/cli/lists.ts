/** Returns the words of repeated options that can contain commas. */
export const wordsOf = (values: readonly string[]): string[] => [
  ...new Set(values.flatMap((value) => value.split(',').map((word) => word.trim())).filter(Boolean)),
]
