import { Html, html } from './html.ts'

const words: Record<string, string> = {
  js: 'async await break case catch class const continue default delete else export extends finally for from function if import in instanceof let new null of return static switch this throw true false try typeof undefined var void while yield',
  python:
    'and as assert async await break class continue def del elif else except False finally for from global if import in is lambda None not or pass raise return self True try while with yield',
  sh: 'case cd curl do done echo elif else esac export fi for function if in node npm npx python3 return set then until while',
  json: 'true false null',
}

const sameAs: Record<string, string> = {
  ts: 'js',
  jsx: 'js',
  tsx: 'js',
  javascript: 'js',
  typescript: 'js',
  bash: 'sh',
  shell: 'sh',
  py: 'python',
  yml: 'yaml',
}

const strings = [String.raw`"(?:[^"\\\n]|\\.)*"`, String.raw`'(?:[^'\\]|\\.)*'`, '`(?:[^`\\\\]|\\\\.)*`'].join('|')
const comments: Record<string, string> = {
  js: String.raw`\/\/[^\n]*|\/\*(?:[^*]|\*(?!\/))*\*\/`,
  other: String.raw`(?<![^\s;])#[^\n]*`,
}
const number = String.raw`(?<![\w.:-])\d[\d_]*(?:\.\d+)?(?![\w:-]|\.\d)`

const patterns = new Map<string, RegExp>()

function patternOf(language: string): RegExp {
  const known = patterns.get(language)
  if (known) return known
  const own = words[language]
  const keyword = own ? `|(?<keyword>(?<![\\w$.-])(?:${own.replaceAll(' ', '|')})(?![\\w-]))` : ''
  const comment = language === 'json' ? '' : `(?<comment>${comments[language] ?? comments.other})|`
  const made = new RegExp(`${comment}(?<string>${strings})|(?<number>${number})${keyword}`, 'g')
  patterns.set(language, made)
  return made
}

/** Marks comments, strings, numbers and keywords. Returns code in an unknown language unchanged. */
export function highlighted(code: string, named: string): Html {
  const language = sameAs[named] ?? named
  if (!(language in words) && language !== 'yaml') return html`${code}`
  let at = 0
  const parts: Html[] = []
  for (const match of code.matchAll(patternOf(language))) {
    const kind = Object.entries(match.groups ?? {}).find(([, text]) => text !== undefined)?.[0] ?? ''
    parts.push(html`${code.slice(at, match.index)}<span class="${kind}">${match[0]}</span>`)
    at = match.index + match[0].length
  }
  return new Html([...parts, html`${code.slice(at)}`].map(({ text }) => text).join(''))
}

export const codeBlock = (code: string, language: string): Html =>
  html`<pre tabindex="0"><code>${highlighted(code, language)}</code></pre>`
