const folds: readonly [RegExp, string][] = [
  // Invisible characters: soft hyphens, zero-width spaces, joiners and direction marks. Overrides stay, because they
  // change the visible order.
  [/(?![\u202d\u202e])\p{Cf}/gu, ''],
  [/[\u2018-\u201b\u2032\u2035\u2039\u203a\u0060\u00b4]/g, "'"],
  [/[\u201c-\u201f\u2033\u2036\u00ab\u00bb\u301d-\u301f]/g, '"'],
  [/[\u2010\u2011\u2212]/g, '-'],
  [/[\s\p{Cc}]+/gu, ' '],
]

/**
 * Returns the words, numbers and other characters of a text for the comparison of quotes. Folds compatibility forms
 * (NFKC), quotation marks and white space, but not case. Number-like characters such as ² or ½ keep their form. A
 * number keeps its sign and separators, with spaces as U+00A0. In scripts without spaces, each letter is a word.
 */
export function tokenise(text: string): string[] {
  // Folds quotation marks before NFKC, because NFKC would split some of them: ″ becomes two ′.
  const first = folds.slice(0, 4).reduce(replace, text.normalize('NFC'))
  const folded = folds.reduce(replace, first.replace(compatible, foldRun)).trim()
  return folded.replace(spacedNumber, (number) => number.replaceAll(' ', '\u00a0')).match(token) ?? []
}

/**
 * Normalises a text for the search: its tokens with a space before and after each, so that matches start and end at
 * word boundaries. Empty if it has none.
 */
export function normaliseText(text: string): string {
  const tokens = tokenise(text)
  return tokens.length === 0 ? '' : ` ${tokens.join(' ')} `
}

const replace = (text: string, [pattern, by]: readonly [RegExp, string]) => text.replace(pattern, by)

const compatible = /[^\p{No}\p{So}]+|[\p{No}\p{So}]/gu

/** Applies NFKC, except to characters that it would turn into digits: 10² is not 102, and ½ is not 1 and 2. */
function foldRun(run: string): string {
  const folded = run.normalize('NFKC')
  return /^[\p{No}\p{So}]$/u.test(run) && /\p{Nd}/u.test(folded) ? run : folded
}

const spacedNumber = /(?<![\p{L}\p{N}])\p{Nd}{1,3}(?: \p{Nd}{3})+(?![\p{L}\p{N}])/gu

const unspaced = String.raw`(?=[\p{L}\p{M}])[\p{scx=Han}\p{scx=Hiragana}\p{scx=Katakana}\p{scx=Thai}\p{scx=Lao}\p{scx=Khmer}\p{scx=Myanmar}]`
const spaced = String.raw`(?:(?!${unspaced})[\p{L}\p{M}\p{N}])+`
const joint = String.raw`(?:['\u00a0\-]|(?<=\p{Nd})[.,:\/](?=\p{Nd}))`
const sign = String.raw`(?:(?<![\p{L}\p{N}])-(?=\p{Nd}))?`
const token = new RegExp(String.raw`${unspaced}|${sign}${spaced}(?:${joint}${spaced})*|\S`, 'gu')
