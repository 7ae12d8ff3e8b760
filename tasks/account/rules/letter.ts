/** A part of a platform email. The plain text and the HTML contain the same words. */
export type LetterPart =
  | string
  /** A code in large characters. `words` is the start of its sentence. */
  | { words: string; code: string }
  /** A button. The plain text has `words` and the URL instead. */
  | { words: string; button: string; url: string }
  | { facts: readonly (readonly [name: string, value: string])[] }

export interface Letter {
  subject: string
  title: string
  organisation?: string
  parts: readonly LetterPart[]
  /** Reason why the recipient gets this email, in small characters. */
  why: string
}

export interface RenderedLetter {
  subject: string
  text: string
  html: string
}

export const renderLetter = (letter: Letter): RenderedLetter => ({
  subject: letter.subject,
  text: `${[...letter.parts.map(toText), letter.why].join('\n\n')}\n`,
  html: toDocument(letter),
})

function toText(part: LetterPart): string {
  if (typeof part === 'string') return part
  if ('code' in part) return `${part.words} ${part.code}.`
  if ('facts' in part) return part.facts.map(([name, value]) => `${name}: ${value}`).join('\n')
  return `${part.words}\n${part.url}`
}

const escapes: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' }
const escaped = (text: string): string => text.replace(/[&<>"]/g, (character) => escapes[character] as string)

/** Fonts and colours without images, in attributes for clients that ignore style sheets. */
const font = "font-family:system-ui,-apple-system,'Segoe UI',Roboto,'Helvetica Neue',Arial,sans-serif"

function toHtml(part: LetterPart): string {
  if (typeof part === 'string') return paragraph(escaped(part))
  if ('code' in part)
    return `${paragraph(escaped(part.words))}<p class="code" style="margin:0 0 20px;padding:14px 0;border-radius:8px;background:#eef3f6;color:#15212b;font:600 30px ui-monospace,Menlo,Consolas,monospace;letter-spacing:6px;text-align:center">${escaped(part.code)}</p>`
  if ('facts' in part)
    return `<table role="presentation" style="margin:0 0 20px;border-spacing:0">${part.facts
      .map(
        ([name, value]) =>
          `<tr><td class="quiet" style="padding:3px 20px 3px 0;color:#556471">${escaped(name)}</td><td style="padding:3px 0"><strong>${escaped(value)}</strong></td></tr>`,
      )
      .join('')}</table>`
  const url = escaped(part.url)
  return `<p style="margin:0 0 20px"><a class="button" href="${url}" style="display:inline-block;padding:11px 20px;border-radius:8px;background:#0a6282;color:#ffffff;font-weight:600;text-decoration:none">${escaped(part.button)}</a></p>
<p class="quiet" style="margin:0 0 20px;font-size:13px;color:#556471">${escaped(part.words)}<br><a class="link" href="${url}" style="color:#0a6282;word-break:break-all">${url}</a></p>`
}

const paragraph = (content: string): string => `<p style="margin:0 0 14px">${content}</p>`

const toDocument = ({ subject, title, organisation, parts, why }: Letter): string => `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="supported-color-schemes" content="light dark">
<title>${escaped(subject)}</title>
<style>
@media (prefers-color-scheme: dark) {
  .page { background: #0e1418 !important; color: #e3eaef !important }
  .card { background: #151d23 !important; border-color: #28343d !important; color: #e3eaef !important }
  .code { background: #22303a !important; color: #e3eaef !important }
  .quiet { color: #9badba !important }
  .link { color: #6cc5e2 !important }
  .button { background: #6cc5e2 !important; color: #06202b !important }
}
</style>
</head>
<body class="page" style="margin:0;padding:24px 12px;background:#f5f7f9;color:#15212b;${font};font-size:15px;line-height:1.5">
<div class="card" style="max-width:520px;margin:0 auto;padding:28px 28px 14px;border:1px solid #dfe5ea;border-radius:12px;background:#ffffff">
<p class="quiet" style="margin:0 0 18px;font-size:13px;font-weight:600;color:#556471">Millrace${organisation === undefined ? '' : ` · ${escaped(organisation)}`}</p>
<h1 style="margin:0 0 16px;font-size:21px;line-height:1.3">${escaped(title)}</h1>
${parts.map(toHtml).join('\n')}
<p class="quiet" style="margin:24px 0 14px;font-size:13px;color:#556471">${escaped(why)}</p>
</div>
</body>
</html>
`

/** Returns customer text without line breaks and without parts that email clients turn into links. */
export const oneLine = (text: string): string =>
  text
    .replace(/[\s\u2028\u2029]+/g, ' ')
    .replace(/[/.:@]/g, '·')
    .slice(0, 80)
