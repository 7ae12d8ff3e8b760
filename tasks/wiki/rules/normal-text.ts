const folds: readonly [RegExp, string][] = [
  // Shown as nothing: soft hyphens, zero-width spaces, joiners, marks of order. Overrides stay, as they show what is not there.
  [/(?![\u202d\u202e])\p{Cf}/gu, ''],
  [/[\u2018-\u201b\u2032\u2035\u2039\u203a\u0060\u00b4]/g, "'"],
  [/[\u201c-\u201f\u2033\u2036\u00ab\u00bb\u301d-\u301f]/g, '"'],
  [/[\u2010\u2011\u2212]/g, '-'],
  [/[\s\p{Cc}]+/gu, ' '],
]

/**
 * The words, numbers and other signs of a text, as quotes are compared with it: compatibility forms (NFKC), kinds of quotation
 * marks and white space are folded, case stays. What looks like a number but is none, such as ² or ½, keeps its form; a number keeps
 * its sign and its separators, of which a space becomes U+00A0. Letters of scripts that set no spaces are words each.
 */
export function tokensOf(text: string): string[] {
  // Quotes before NFKC, too, which takes some of them apart: ″ is two ′ to it.
  const first = folds.slice(0, 4).reduce(replace, text.normalize('NFC'))
  const folded = folds.reduce(replace, first.replace(compatible, foldRun)).trim()
  return folded.replace(spacedNumber, (number) => number.replaceAll(' ', '\u00a0')).match(token) ?? []
}

/**
 * A text as it is looked for in another: its tokens, with a space before and behind each, so that what is found begins and ends
 * where words and numbers do. Empty when it has none.
 */
export function normalText(text: string): string {
  const tokens = tokensOf(text)
  return tokens.length === 0 ? '' : ` ${tokens.join(' ')} `
}

const replace = (text: string, [pattern, by]: readonly [RegExp, string]) => text.replace(pattern, by)

const compatible = /[^\p{No}\p{So}]+|[\p{No}\p{So}]/gu

/** NFKC, but for signs that it would turn into digits: 10² is not 102, nor ½ 1 and 2. */
function foldRun(run: string): string {
  const folded = run.normalize('NFKC')
  return /^[\p{No}\p{So}]$/u.test(run) && /\p{Nd}/u.test(folded) ? run : folded
}

const spacedNumber = /(?<![\p{L}\p{N}])\p{Nd}{1,3}(?: \p{Nd}{3})+(?![\p{L}\p{N}])/gu

/** Letters of scripts that set no spaces between words. */
const unspaced = String.raw`(?=[\p{L}\p{M}])[\p{scx=Han}\p{scx=Hiragana}\p{scx=Katakana}\p{scx=Thai}\p{scx=Lao}\p{scx=Khmer}\p{scx=Myanmar}]`
const spaced = String.raw`(?:(?!${unspaced})[\p{L}\p{M}\p{N}])+`
const joint = String.raw`(?:['\u00a0\-]|(?<=\p{Nd})[.,:\/](?=\p{Nd}))`
const sign = String.raw`(?:(?<![\p{L}\p{N}])-(?=\p{Nd}))?`
const token = new RegExp(String.raw`${unspaced}|${sign}${spaced}(?:${joint}${spaced})*|\S`, 'gu')
