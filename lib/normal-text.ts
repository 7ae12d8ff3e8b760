const folds: readonly [RegExp, string][] = [
  // Shown as nothing: soft hyphens, zero-width spaces, word joiners, byte order marks.
  [/[\u00ad\u200b\u2060\ufeff]/g, ''],
  [/[\u2018-\u201b\u2032\u2035\u2039\u203a\u0060\u00b4]/g, "'"],
  [/[\u201c-\u201f\u2033\u2036\u00ab\u00bb\u301d-\u301f]/g, '"'],
  [/[\s\p{Cc}]+/gu, ' '],
]

/**
 * A text as it is compared with a quote from it: compatibility forms (NFKC), kinds of quotation marks and runs of white space are
 * folded. Case and words stay.
 */
export function normalText(text: string): string {
  // Quotes before NFKC, too, which takes some of them apart: ″ is two ′ to it.
  const first = folds.slice(0, 3).reduce(replace, text)
  return folds.reduce(replace, first.normalize('NFKC')).trim()
}

const replace = (text: string, [pattern, by]: readonly [RegExp, string]) => text.replace(pattern, by)
